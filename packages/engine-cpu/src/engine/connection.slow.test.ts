// The engine's thread dies: whoever waits is told, and so is everyone who asks later.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HoneError } from "@hone/core";
import { expect, onTestFinished, test } from "vitest";
import { Connection } from "./connection.ts";

/** A thread that starts as the engine's does and then runs `onMessage`. */
async function connect(onMessage: string): Promise<Connection> {
  const folder = await mkdtemp(join(tmpdir(), "hone-connection-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const program = join(folder, "worker.mjs");
  const ready = {
    contextTokens: 8,
    capacity: 1,
    kernels: { build: "wasm", instructionSet: "wasm", threads: 1 },
    notices: [],
  };
  await writeFile(
    program,
    `import { parentPort } from "node:worker_threads";
     parentPort.on("message", (message) => { ${onMessage} });
     parentPort.postMessage({ type: "ready", ready: ${JSON.stringify(ready)} });`,
  );
  const connection = new Connection(program, { model: "", name: "", checkpoints: "" });
  onTestFinished(() => connection.close());
  await connection.ready;
  return connection;
}

async function problemOf(promise: Promise<unknown>): Promise<HoneError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (HoneError.is(error)) return error;
  throw new Error(`not refused with an error of ours: ${String(error)}`);
}

test.each([
  ["an error that nobody caught", 'throw new Error("broken pipe")', "broken pipe", "last checkpoint"],
  ["an exit", "process.exit(3)", "code 3", "last checkpoint"],
  [
    "no memory",
    'throw Object.assign(new Error("heap limit"), { code: "ERR_WORKER_OUT_OF_MEMORY" })',
    "heap limit",
    "contextTokens",
  ],
])("%s rejects what is pending and whatever is asked later", async (_, code, message, hint) => {
  const connection = await connect(code);
  const calls = [1, 2, 3].map((trainer) => problemOf(connection.call("publish", { trainer })));
  for (const problem of await Promise.all(calls)) {
    expect([problem.code, problem.message]).toEqual(["engine-crashed", expect.stringContaining(message)]);
    expect(problem.hint).toContain(hint);
  }
  expect((await problemOf(connection.call("publish", { trainer: 1 }))).code).toBe("engine-crashed");
  await connection.close();
  expect((await problemOf(connection.call("publish", { trainer: 1 }))).code).toBe("engine-crashed");
});

test("a thread that dies while it starts says so", async () => {
  const connection = new Connection(join(tmpdir(), "there-is-no-such-file.mjs"), {
    model: "",
    name: "",
    checkpoints: "",
  });
  expect((await problemOf(connection.ready)).code).toBe("engine-crashed");
  await connection.close();
});

test("an answer for a call that was cancelled is dropped, and what cannot be sent is refused", async () => {
  const connection = await connect(
    'if (message.type === "call") setTimeout(() => parentPort.postMessage({ type: "answer", id: message.id, value: { version: message.id } }), 20)',
  );
  const controller = new AbortController();
  const cancelled = connection.call("publish", { trainer: 1 }, controller.signal);
  const kept = connection.call("publish", { trainer: 1 });
  controller.abort(new Error("no longer"));
  await expect(cancelled).rejects.toThrow("no longer");
  expect(await kept).toEqual({ version: 1 });
  const strange = { trainer: 1, step: (() => {}) as never };
  expect((await problemOf(connection.call("update", strange))).code).toBe("bad-request");
  expect(await connection.call("publish", { trainer: 1 })).toEqual({ version: 3 });
});
