import { HoneError } from "@hone/core";
import { expect, test } from "vitest";
import { rejection } from "../testing/temporary.ts";
import { untilDone } from "./retry.ts";
import { awayError } from "./sink.ts";

function rig(failures: number, isFinishing = false): { done: () => Promise<string>; waits: number[]; told: string[] } {
  const waits: number[] = [];
  const told: string[] = [];
  let left = failures;
  const attempt = async (): Promise<string> => {
    if (left-- > 0) throw awayError("away");
    return "done";
  };
  const done = (): Promise<string> =>
    untilDone(attempt, {
      random: () => 1,
      isFinishing: () => isFinishing,
      onOutage: ({ message }) => told.push(message),
      onRecovery: () => told.push("back"),
      wait: async (delayMs) => {
        waits.push(delayMs);
      },
      signal: new AbortController().signal,
    });
  return { done, waits, told };
}

test("waits double up to a minute, and an outage is told once", async () => {
  const { done, waits, told } = rig(8);
  expect(await done()).toBe("done");
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1000));
  expect(told).toEqual(["away", "back"]);
});

test("when the run is over, waits are short", async () => {
  const { done, waits } = rig(4, true);
  await done();
  expect(Math.max(...waits)).toBe(1000);
});

test("what cannot get better is not tried again, and a stop ends the trying", async () => {
  const options = {
    random: () => 0,
    isFinishing: () => false,
    onOutage: () => undefined,
    onRecovery: () => undefined,
  };
  const stop = new AbortController();
  const forbidden = new HoneError("forbidden", { code: "sink-key" });
  const wait = async (): Promise<void> => stop.abort(new Error("enough"));
  const { signal } = stop;
  expect(await rejection(untilDone(() => Promise.reject(forbidden), { ...options, wait, signal }))).toBe(forbidden);
  expect(await rejection(untilDone(() => Promise.reject(awayError("x")), { ...options, wait, signal }))).toMatchObject({
    message: "enough",
  });
});
