import { expect, test } from "vitest";
import type { RunPace } from "./api-types.ts";
import { progressOf } from "./run-progress.ts";

const minute = 60_000;
const pace: RunPace = {
  done: 30,
  planned: 120,
  workedMs: 5 * minute,
  sinceMs: 100 * minute,
  unitMs: 10_000,
  longestMs: 14_000,
  aliveAtMs: 100 * minute,
  stall: null,
};

test("what is left is told by the pace of recent steps, less what the one under way has taken", () => {
  const { share, elapsedMs, leftMs, stall } = progressOf(pace, "running", 100 * minute + 4000);
  expect([share, elapsedMs, leftMs, stall]).toEqual([0.25, 5 * minute + 4000, 90 * 10_000 - 4000, undefined]);
  // A step that takes longer than usual pushes the end away.
  expect(progressOf(pace, "running", 100 * minute + 30_000).leftMs).toBe(89 * 10_000);
});

test("a run that writes nothing for much longer than its steps take stands still, and one that says so too", () => {
  expect(progressOf(pace, "running", 100 * minute + 59_000).stall).toBeUndefined();
  expect(progressOf(pace, "running", 104 * minute).stall).toBe(
    "It has written nothing for 4 min. A step takes about 10 s.",
  );
  const waits = { ...pace, stall: "Nothing has arrived for 60 s." };
  expect(progressOf(waits, "running", 100 * minute + 1000).stall).toBe("Nothing has arrived for 60 s.");
  expect(progressOf(waits, "finished", 200 * minute).stall).toBeUndefined();
});

test("the first step may take its time", () => {
  const young = { ...pace, done: 0, workedMs: 0, unitMs: null, longestMs: null };
  expect(progressOf(young, "running", 102 * minute)).toEqual({
    share: 0,
    elapsedMs: 2 * minute,
    leftMs: undefined,
    stall: undefined,
  });
  expect(progressOf(young, "running", 104 * minute).stall).toBe("It has written nothing for 4 min.");
});

test("an evaluation is timed by its rollouts, and a run that ended by its steps alone", () => {
  const evaluation = { ...pace, planned: 60, workedMs: 0, unitMs: null, longestMs: null };
  expect(progressOf(evaluation, "running", 101 * minute).leftMs).toBe(minute);
  expect(progressOf(pace, "finished", 500 * minute).elapsedMs).toBe(5 * minute);
  expect(progressOf({ ...pace, planned: null }, "running", 100 * minute)).toMatchObject({
    share: undefined,
    leftMs: undefined,
  });
});
