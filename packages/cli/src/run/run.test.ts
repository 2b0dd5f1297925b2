import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toyConfig, toyEngine, withToy } from "../testing/toy-model.ts";
import { train } from "../training/train.ts";
import { replay } from "./replay.ts";
import { readStanding } from "./run-state.ts";

async function trained() {
  const made = await withToy();
  const small = { ...toyConfig, batchSize: 8, groupSize: 4, eval: { interval: 4, numTasks: 3 } };
  const outcome = await train(small, { cwd: made.folder, engine: toyEngine });
  return { ...made, outcome };
}
const options = { engine: toyEngine, onNotice: () => undefined };

test("an update is made again from the checkpoint before it and its samples, bit for bit", async () => {
  const { folder: cwd, outcome } = await trained();
  const { directory } = outcome;
  expect(await replay({ directory, step: 4, cwd, ...options })).toMatchObject({ from: 3, step: 4, different: [] });
  await rm(join(directory, "weights", "000003"));
  expect(await replay({ directory, step: 4, cwd, ...options })).toMatchObject({ from: 2, different: [] });
});

test("samples that were changed give other weights, and that is told", async () => {
  const { folder: cwd, outcome } = await trained();
  const path = join(outcome.directory, "samples", "000004.jsonl");
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  await writeFile(path, `${lines.slice(1).join("\n")}\n`);
  const { different } = await replay({ directory: outcome.directory, step: 4, cwd, ...options });
  expect(different).not.toEqual([]);
});

test("a step without a checkpoint cannot be compared; the kept ones are named", async () => {
  const { folder: cwd, outcome } = await trained();
  await expect(replay({ directory: outcome.directory, step: 9, cwd, ...options })).rejects.toMatchObject({
    code: "checkpoint",
    hint: expect.stringContaining("2, 3, 4"),
  });
});

test("runs are listed and shown from their files", async () => {
  const { hone, outcome } = await trained();
  const list = await hone(["runs", "list"]);
  expect(list.stdout).toMatch(/^lower-case-toy-1 +finished +4 +0\.\d+ +lower-case +\d+ s$/m);
  const show = await hone(["runs", "show", "lower-case-toy-1"]);
  expect(show.code).toBe(0);
  expect(show.stdout).toContain('  model = "./toy"\n');
  expect(show.stdout).toMatch(/held-out lower-case at step 4: reward 0\.\d+ .*gain [+-]0\.\d+/);
  expect(show.stdout).toMatch(/Checkpoints\n {2}2, 3, 4\n/);
  expect(show.stdout).toContain("hone train --resume lower-case-toy-1 --set max_steps=N\n");
  const data = JSON.parse((await hone(["runs", "show", "runs/lower-case-toy-1", "--json"])).stdout) as object;
  expect(data).toMatchObject({ name: "lower-case-toy-1", state: "finished", step: 4, policy: outcome.policy });
});

test("only a run that is running can be stopped", async () => {
  const { hone, outcome } = await trained();
  const stopped = await hone(["runs", "stop", "lower-case-toy-1"]);
  expect(stopped.code).toBe(2);
  expect(stopped.stderr).toContain("`lower-case-toy-1` is not running: it is finished, after step 4.");
  const lock = { pid: process.pid, host: (await import("node:os")).hostname(), start: null, token: "x", atMs: 1 };
  await writeFile(join(outcome.directory, "lock"), JSON.stringify(lock));
  expect((await hone(["runs", "stop", "lower-case-toy-1"])).code).toBe(0);
  expect((await readStanding(outcome.directory)).state).toBe("stopping");
});

test("a name that is no run is told with the nearest one", async () => {
  const { hone } = await trained();
  const { code, stderr } = await hone(["runs", "show", "lowr-case-toy-1"]);
  expect(code).toBe(2);
  expect(stderr).toContain("There is no run `lowr-case-toy-1`. Did you mean `lower-case-toy-1`?");
});
