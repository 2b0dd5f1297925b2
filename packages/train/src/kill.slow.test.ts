// kill -9 at random moments. Promise (c): a synchronous run that was killed ends like one that was not, byte for byte but for times.
// Promise (a): every rollout of an asynchronous run ends in exactly one outcome, and no sample enters the surviving weights twice.
// Promise (b): weights n - 1 and samples/n of such a run give weights n.
import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRandom } from "@hone/core";
import { openRun } from "@hone/store";
import { afterAll, expect, test } from "vitest";
import { ended, madeAgain, toySteps } from "./testing/ended.ts";

const program = fileURLToPath(new URL("../dist/testing/toy-program.js", import.meta.url));
const isFull = process.env["HONE_FULL"] !== undefined;
const root = await mkdtemp(join(tmpdir(), "hone-kill-"));
afterAll(() => rm(root, { recursive: true }));

/** True when it ran to its end. */
async function live(directory: string, lead: number, killAfterMs: number): Promise<boolean> {
  const child = spawn(process.execPath, [program, directory, String(lead)], { stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (text: Buffer) => (errors += text.toString()));
  const timer = setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.once("exit", (exitCode, by) => resolve([exitCode, by]));
  });
  clearTimeout(timer);
  if (code !== 0 && signal !== "SIGKILL") throw new Error(`the run failed: ${errors}`);
  return code === 0;
}

/** Lives of one run until it ends; returns how often it was killed. */
async function killed(directory: string, lead: number, seed: number): Promise<number> {
  const random = createRandom(seed);
  for (let kills = 0; ; kills++) {
    if (await live(directory, lead, kills < 12 ? 250 + random.integer(450) : 60_000)) return kills;
  }
}

async function temporaries(directory: string): Promise<string[]> {
  return (await readdir(directory, { recursive: true })).filter((name) => name.endsWith(".tmp"));
}

test(`(c) synchronous runs killed ${isFull ? 50 : 10} times end like one that was not`, async () => {
  const whole = join(root, "whole");
  await live(whole, 0, 60_000);
  const expected = await ended(whole);
  let kills = 0;
  for (let run = 0; kills < (isFull ? 50 : 10); run++) {
    const directory = join(root, `sync-${run}`);
    kills += await killed(directory, 0, run);
    const found = await ended(directory);
    expect(found.updates).toEqual(expected.updates);
    expect(found.weights).toBe(expected.weights);
    expect(found.ledger).toEqual(expected.ledger);
    expect(found.tasks).toEqual(expected.tasks);
    expect(found.samples).toEqual(expected.samples);
    expect(found.rollouts).toEqual(expected.rollouts);
    expect(await temporaries(directory)).toEqual([]);
  }
}, 600_000);

test(`(a), (b) asynchronous runs killed ${isFull ? 20 : 5} times count every rollout once, and their updates can be made again`, async () => {
  const random = createRandom("which update");
  let kills = 0;
  for (let run = 0; kills < (isFull ? 20 : 5); run++) {
    const directory = join(root, `async-${run}`);
    kills += await killed(directory, 1, 100 + run);
    const { ledger, samples } = await ended(directory);
    const trained = new Set([...ledger.values()].flatMap((row) => (row.outcome === "trained" ? row.rollouts : [])));
    const used = [...samples.values()].flat().map(({ rollout }) => rollout);
    expect(new Set(used).size).toBe(used.length);
    expect(used.filter((id) => !trained.has(id))).toEqual([]);
    expect([...samples.keys()]).toEqual(Array.from({ length: toySteps }, (_, index) => index + 1));
    for await (const { id, group } of (await openRun(directory)).rollouts({ tokens: false })) {
      expect(ledger.get(group)?.rollouts).toContain(id);
    }
    for (const step of [1, 2 + random.integer(toySteps - 2), toySteps]) {
      const { was, is } = await madeAgain(directory, step);
      expect(is).toBe(was);
    }
    expect(await temporaries(directory)).toEqual([]);
  }
}, 600_000);
