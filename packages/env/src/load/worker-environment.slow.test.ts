import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createRequire } from "node:module";
import { ModelError, type Rollout } from "@hone/core";
import { scriptedModel } from "@hone/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Blocked } from "../index.ts";
import { runOnce } from "../testing/run-once.ts";
import { loadEnvironment, WorkerEnvironment } from "./index.ts";

let folder: string;
let file: string;
const built = pathToFileURL(createRequire(import.meta.url).resolve("#worker/worker")).href.replace(
  "load/worker.js",
  "index.js",
);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hone-worker-"));
  file = join(folder, "environment.mjs");
  await writeFile(
    file,
    `import { threadId } from "node:worker_threads";
     import { defineEnvironment } from ${JSON.stringify(built)};
     export default defineEnvironment({
       name: "threaded",
       tasks: [{ text: "ab" }, { text: "cd" }],
       prompt: ({ task }) => task.text,
       state: () => ({ thread: threadId }),
       respond: ({ reply }) => {
         if (reply === "die") process.exit(3);
         if (reply === "block") { const until = Date.now() + 300; while (Date.now() < until); }
         return reply === "more" ? "go on" : { by: "answered" };
       },
       rewards: { same: ({ task, reply }) => reply === task.text },
     });`,
  );
});
afterAll(() => rm(folder, { recursive: true }));

async function inWorkers(workers: number, onBlocked?: (blocked: Blocked) => void): Promise<WorkerEnvironment> {
  const { environment } = await loadEnvironment(file, { cwd: folder });
  return new WorkerEnvironment({ environment, file, workers, ...(onBlocked === undefined ? {} : { onBlocked }) });
}
const withoutTimes = ({ timing: _timing, state: _state, calls, ...rest }: Rollout) => ({
  ...rest,
  calls: calls.map(({ startedAtMs: _at, durationMs: _for, ...call }) => call),
});

test("rollouts in a worker equal those on the main thread, token columns included", async () => {
  await using environment = await inWorkers(1);
  const model = scriptedModel((_request, { index }) => (index === 0 ? "more" : "ab"));
  const { environment: local } = await loadEnvironment(file, { cwd: folder });
  const [here, there] = [await runOnce(local, { model }), await runOnce(environment, { model })];
  expect(withoutTimes(there)).toEqual(withoutTimes(here));
  expect(there.nodes[1]?.tokens?.ids).toBeInstanceOf(Int32Array);
  expect((there.state as { thread: number }).thread).toBeGreaterThan(0);
});

test("work is spread over the workers", async () => {
  await using environment = await inWorkers(2);
  const model = scriptedModel(() => "ab");
  const rollouts = await Promise.all(Array.from({ length: 8 }, (_, index) => runOnce(environment, { model, index })));
  expect(new Set(rollouts.map(({ state }) => (state as { thread: number }).thread)).size).toBe(2);
});

test("a model's failure keeps its class across the thread", async () => {
  await using environment = await inWorkers(1);
  const model = {
    name: "down",
    complete: () => Promise.reject(new ModelError("slow down", { code: "rate-limit", status: 429 })),
  };
  expect((await runOnce(environment, { model })).failure).toMatchObject({
    boundary: "model",
    code: "rate-limit",
    isRetryable: true,
  });
});

test("a cancel reaches the worker and the model call it waits for", async () => {
  await using environment = await inWorkers(1);
  const controller = new AbortController();
  let aborted = false;
  const model = {
    name: "slow",
    complete: (_request: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          aborted = true;
          reject(new Error("aborted"));
        });
        controller.abort(new Error("stop"));
      }),
  };
  expect((await runOnce(environment, { model, signal: controller.signal })).stop).toEqual({ type: "cancelled" });
  expect(aborted).toBe(true);
});

test("a worker that dies fails its rollouts and is replaced", async () => {
  await using environment = await inWorkers(1);
  await expect(runOnce(environment, { model: scriptedModel(() => "die") })).rejects.toMatchObject({
    code: "worker-died",
    isRetryable: true,
  });
  expect((await runOnce(environment, { model: scriptedModel(() => "ab") })).agents[0]?.reward).toBe(1);
});

test("the watchdog of a worker names the environment that blocked it", async () => {
  const reports: Blocked[] = [];
  await using environment = await inWorkers(1, (blocked) => reports.push(blocked));
  await runOnce(environment, { model: scriptedModel(() => "block") });
  expect(reports).toMatchObject([{ envs: ["threaded"], where: ["respond"] }]);
});
