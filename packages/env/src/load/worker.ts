// The program of an environment's worker thread. Loads the environment and runs rollouts; model calls and sandboxes are asked of the main thread.
// Started as built JS only: Node 20 cannot start a .ts worker.
import { parentPort, workerData } from "node:worker_threads";
import type {
  Completion,
  Environment,
  ExecResult,
  JobOutput,
  Model,
  Sandbox,
  SandboxJob,
  SandboxProvider,
} from "@hone/core";
import { findHarness } from "../rollout/harness.ts";
import { EventLoopWatchdog } from "../rollout/watchdog.ts";
import type { EnvironmentDefinition } from "../with-args.ts";
import { importModule } from "./import-module.ts";
import {
  type FromWorker,
  fromWire,
  type Question,
  type RolloutJob,
  type ToWorker,
  toWire,
  type WorkerSetup,
} from "./protocol.ts";

const port = parentPort;
if (port === null) throw new Error("This file is a worker thread's program.");
const { file, args } = workerData as WorkerSetup;
const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
const running = new Map<number, AbortController>();
let calls = 0;

const tell = (message: FromWorker): void => port.postMessage(message);

function ask<T>(id: number, question: Question, signal?: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    signal?.throwIfAborted();
    const call = calls++;
    const cancel = (): void => {
      waiting.delete(call);
      tell({ type: "cancel", call });
      reject(signal?.reason as Error);
    };
    signal?.addEventListener("abort", cancel, { once: true });
    const settle = (): void => signal?.removeEventListener("abort", cancel);
    waiting.set(call, {
      resolve: (value) => {
        settle();
        resolve(value);
      },
      reject: (error) => {
        settle();
        reject(error);
      },
    });
    tell({ type: "ask", call, id, question });
  });
}

function modelFor(id: number, name: string, key: string | null): Model {
  return {
    name,
    complete: (request, { signal }) => ask<Completion>(id, { ask: "complete", model: key, request }, signal),
  };
}

/** The program runs beside the main thread's sandbox; its output is asked for piece by piece. */
function jobFor(id: number, job: number): SandboxJob {
  return {
    output: (async function* () {
      for (;;) {
        const piece = await ask<JobOutput | null>(id, { ask: "job-output", job });
        if (piece === null) return;
        yield piece;
      }
    })(),
    write: (text) => ask<void>(id, { ask: "job-write", job, text }),
    signal: (name) => ask<void>(id, { ask: "job-signal", job, name }),
    ended: ask<number>(id, { ask: "job-ended", job }),
  };
}

function sandboxesFor(id: number): SandboxProvider {
  return {
    name: "main-thread",
    async open(spec, { signal }) {
      const box = await ask<number>(id, { ask: "sandbox-open", spec }, signal);
      const sandbox: Sandbox = {
        exec: (command, { signal: stop, ...options } = {}) =>
          ask<ExecResult>(id, { ask: "sandbox-exec", box, command, options }, stop),
        start: async (command, options = {}) =>
          jobFor(id, await ask<number>(id, { ask: "sandbox-start", box, command, options })),
        read: (path) => ask<Uint8Array>(id, { ask: "sandbox-read", box, path }),
        write: (path, content) => ask<void>(id, { ask: "sandbox-write", box, path, content }),
        list: (path) => ask<readonly string[]>(id, { ask: "sandbox-list", box, path }),
      };
      return { sandbox, [Symbol.asyncDispose]: () => ask<void>(id, { ask: "sandbox-close", box }) };
    },
  };
}

const loaded = (await importModule(file)).default as Environment | EnvironmentDefinition;
const environment = loaded.kind === "hone/environment" ? loaded : loaded.create(args);
const watchdog = new EventLoopWatchdog({ report: (blocked) => tell({ type: "blocked", blocked }) });

async function run(id: number, { task, identity, settings, sampling, model, harness }: RolloutJob): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    const resources = {
      model: modelFor(id, model, null),
      models: (name: string) => modelFor(id, name, name),
      sandboxes: sandboxesFor(id),
      harness: harness === undefined ? undefined : findHarness({ id: harness }),
      sampling,
      watchdog,
    };
    const rollout = await environment.rollout({ task, identity, resources, settings, signal: controller.signal });
    tell({ type: "rollout-end", id, rollout });
  } catch (error) {
    tell({ type: "rollout-fail", id, error: toWire(error) });
  } finally {
    running.delete(id);
  }
}

port.on("message", (message: ToWorker) => {
  switch (message.type) {
    case "rollout":
      void run(message.id, message.job);
      break;
    case "abort":
      running.get(message.id)?.abort(new Error(message.reason));
      break;
    case "answer":
      waiting.get(message.call)?.resolve(message.value as never);
      waiting.delete(message.call);
      break;
    case "refuse":
      waiting.get(message.call)?.reject(fromWire(message.error));
      waiting.delete(message.call);
      break;
  }
});
tell({ type: "ready" });
