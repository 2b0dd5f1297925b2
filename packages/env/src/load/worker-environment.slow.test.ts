import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createRequire } from "node:module";
import { ModelError, type Rollout, type Sandbox, type SandboxProvider } from "@hone/core";
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
const boxed = () => `
     import { defineEnvironment } from ${JSON.stringify(built)};
     export default defineEnvironment({
       name: "boxed",
       tasks: [{ text: "ab" }],
       prompt: ({ task }) => task.text,
       sandbox: {},
       state: async ({ sandbox }) => {
         await sandbox.write("a.txt", "hello");
         const job = await sandbox.start("count");
         await job.write("go");
         const said = [];
         for await (const { text } of job.output) said.push(text);
         const { stdout } = await sandbox.exec("echo");
         const text = new TextDecoder().decode(await sandbox.read("a.txt"));
         return { said, code: await job.ended, stdout, text, names: await sandbox.list("/work") };
       },
       rewards: {},
     });`;

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

test("sandboxes and the programs in them are reached from a worker, and closed at the end", async () => {
  const path = join(folder, "boxed.mjs");
  await writeFile(path, boxed());
  const log: string[] = [];
  const files = new Map<string, Uint8Array>();
  const sandbox: Sandbox = {
    exec: async (command) => ({ exitCode: 0, stdout: `ran ${command}`, stderr: "", droppedBytes: 0, timedOut: false }),
    start: async () => ({
      output: (async function* () {
        yield { stream: "stdout", text: "one" } as const;
        yield { stream: "stdout", text: "two" } as const;
      })(),
      write: async (text) => void log.push(`write ${text}`),
      signal: async () => {},
      ended: Promise.resolve(7),
    }),
    read: async (name) => files.get(name) ?? new Uint8Array(),
    write: async (name, content) => void files.set(name, new TextEncoder().encode(String(content))),
    list: async () => [...files.keys()],
  };
  const sandboxes: SandboxProvider = {
    name: "memory",
    open: async () => ({ sandbox, [Symbol.asyncDispose]: async () => void log.push("close") }),
  };
  const { environment: local } = await loadEnvironment(path, { cwd: folder });
  await using environment = new WorkerEnvironment({ environment: local, file: path, workers: 1 });
  const rollout = await runOnce(environment, { model: scriptedModel(() => "ok"), sandboxes });
  expect(rollout.state).toEqual({ said: ["one", "two"], code: 7, stdout: "ran echo", text: "hello", names: ["a.txt"] });
  expect(log).toEqual(["write go", "close"]);
});

test("the watchdog of a worker names the environment that blocked it", async () => {
  const reports: Blocked[] = [];
  await using environment = await inWorkers(1, (blocked) => reports.push(blocked));
  await runOnce(environment, { model: scriptedModel(() => "block") });
  expect(reports).toMatchObject([{ envs: ["threaded"], where: ["respond"] }]);
});
