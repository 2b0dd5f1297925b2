import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GroupId, RolloutId, TaskId } from "@hone/core";
import { expect, test } from "vitest";
import { listRuns } from "./list-runs.ts";
import { openRolloutWriter } from "./rollout-file.ts";
import { createRun, isRun, openRun, resumeRun } from "./run-directory.ts";
import { runPaths } from "./run-paths.ts";
import { clearStop, isStopRequested, requestStop } from "./stop.ts";
import { rolloutOf } from "./testing/arbitrary-rollout.ts";
import { collect, rejection, temporaryFolder } from "./testing/temporary.ts";

const config = "max_steps = 2\n";

test("what a run wrote, a reader finds, by stream", async () => {
  const directory = join(await temporaryFolder(), "runs", "first");
  await using run = await createRun(directory, { config });
  const difficulty = { meanReward: 0.5, pool: "normal" as const, step: 1 };
  const task = { env: "echo", task: { id: "t1" as TaskId, text: "hi" }, hash: "0123", difficulty };
  const group = {
    group: "g1" as GroupId,
    env: "echo",
    rollouts: ["r1" as RolloutId],
    outcome: "trained" as const,
    step: 1,
    attempt: 0,
  };
  const metrics = { step: 1, "reward/mean": 0.5, env: "echo", "reward/ci95": [0.25, 0.75] };
  const checkpoint = { step: 1, engine: "toy-1", state: { seen: 3 } };
  const event = { type: "run-start", atMs: 12, detail: null };
  await run.append("tasks", task);
  await run.append("groups", group);
  await run.append("updates", metrics);
  await run.append("evals", metrics);
  await run.append("checkpoints", checkpoint);
  await run.append("events", event);
  const rollouts = await openRolloutWriter(directory, 1);
  await rollouts.write(rolloutOf(1));
  await rollouts.close();
  await run.flush();

  const reader = await openRun(directory);
  expect(reader.config).toBe(config);
  const rows = { tasks: task, groups: group, updates: metrics, evals: metrics, checkpoints: checkpoint, events: event };
  for (const [stream, row] of Object.entries(rows)) {
    expect(await collect(reader.read(stream as keyof typeof rows))).toMatchObject([{ value: row, line: 1 }]);
  }
  expect(await collect(reader.rollouts({ step: 1 }))).toEqual([rolloutOf(1)]);
  const streams = Object.keys(rows).map((name) => `${name}.jsonl`);
  expect((await readdir(directory)).sort()).toEqual([...streams, "lock", "rollouts", "run.toml"].sort());
});

test("metrics that are not finite are still metrics", async () => {
  const directory = join(await temporaryFolder(), "diverged");
  const run = await createRun(directory, { config });
  const row = { step: 3, loss: Number.NaN, "reward/ci95": [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] };
  await run.append("updates", row);
  await run.close();
  const rows = await collect((await openRun(directory)).read("updates"));
  expect(rows.map(({ value }) => value)).toEqual([row]);
});

test("a misspelt field is an error with its line", async () => {
  const directory = await temporaryFolder();
  await writeFile(runPaths(directory).config, config);
  await writeFile(runPaths(directory).streams.events, '{"type":"a","atMs":1,"detail":null,"detial":1}\n');
  const reader = await openRun(directory);
  expect(await rejection(collect(reader.read("events")))).toMatchObject({
    message: expect.stringMatching(/events\.jsonl:1: .*detial/),
  });
});

test("a stream can be followed while it is written", async () => {
  const directory = join(await temporaryFolder(), "live");
  await using run = await createRun(directory, { config });
  const reader = await openRun(directory);
  const controller = new AbortController();
  const steps: number[] = [];
  void run.append("updates", { step: 1 });
  for await (const { value } of reader.follow("updates", { pollMs: 10, signal: controller.signal })) {
    steps.push(value.step);
    if (value.step === 3) controller.abort();
    else void run.append("updates", { step: value.step + 1 });
  }
  expect(steps).toEqual([1, 2, 3]);
});

test("a run is not made twice, and has one writer", async () => {
  const directory = join(await temporaryFolder(), "run");
  const run = await createRun(directory, { config });
  expect(await rejection(createRun(directory, { config: "" }))).toMatchObject({ code: "locked" });
  expect(await rejection(resumeRun(directory))).toMatchObject({ code: "locked" });
  await run.append("updates", { step: 1 });
  await run.close();
  await run.close();
  expect(await rejection(run.append("updates", { step: 2 }))).toMatchObject({ code: "closed" });
  expect(await rejection(createRun(directory, { config: "" }))).toMatchObject({ code: "run-exists" });
  expect(await readFile(runPaths(directory).config, "utf8")).toBe(config);
  await using again = await resumeRun(directory);
  await again.append("updates", { step: 2 });
  const rows = await collect((await openRun(directory)).read("updates"));
  expect(rows.map(({ value }) => value.step)).toEqual([1, 2]);
});

test("a stream that cannot be written fails its rows and the close, and the lock is released", async () => {
  const directory = join(await temporaryFolder(), "run");
  const run = await createRun(directory, { config });
  await mkdir(runPaths(directory).streams.events);
  expect(await rejection(run.append("events", { type: "a", atMs: 0, detail: null }))).toMatchObject({ code: "disk" });
  expect(await rejection(run.close())).toMatchObject({ code: "disk" });
  await using _again = await resumeRun(directory);
});

test("a folder without run.toml is not a run", async () => {
  const directory = await temporaryFolder();
  expect(await isRun(directory)).toBe(false);
  expect(await rejection(openRun(directory))).toMatchObject({ code: "not-a-run" });
  expect(await rejection(resumeRun(directory))).toMatchObject({ code: "not-a-run" });
});

test("a run is asked to stop by a file", async () => {
  const directory = await temporaryFolder();
  expect(await isStopRequested(directory)).toBe(false);
  await requestStop(directory);
  await requestStop(directory);
  expect(await isStopRequested(directory)).toBe(true);
  await clearStop(directory);
  await clearStop(directory);
  expect(await isStopRequested(directory)).toBe(false);
  expect(await rejection(requestStop(join(directory, "none")))).toMatchObject({ code: "disk" });
});

test("runs are listed newest first, with who writes to them", async () => {
  const root = await temporaryFolder();
  expect(await listRuns(join(root, "none"))).toEqual([]);
  await mkdir(join(root, "no run"));
  await writeFile(join(root, "file"), "");
  await (await createRun(join(root, "old"), { config })).close();
  await utimes(join(root, "old", "run.toml"), 1000, 1000);
  await using _live = await createRun(join(root, "live"), { config });
  expect(await listRuns(root)).toMatchObject([
    { name: "live", directory: join(root, "live"), lock: { pid: process.pid, status: "alive" } },
    { name: "old", createdAtMs: 1_000_000 },
  ]);
});

test("resuming takes away what a killed write left", async () => {
  const directory = join(await temporaryFolder(), "killed");
  await (await createRun(directory, { config })).close();
  await mkdir(join(directory, "samples"));
  await writeFile(join(directory, "samples", ".000002.jsonl.8d1f6c1e-2a33-4c55-9a77-0123456789ab.tmp"), "half");
  await (await resumeRun(directory)).close();
  expect(await readdir(join(directory, "samples"))).toEqual([]);
});
