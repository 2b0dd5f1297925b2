// An environment whose rollouts run in worker threads, unchanged: `workers = n`. Tasks and group scoring stay on the main thread, as do clients
// and sandboxes. A worker that dies fails its rollouts (retryable) and is replaced.
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import {
  type Environment,
  type EnvironmentInfo,
  HoneError,
  type JsonObject,
  type Rollout,
  type RolloutRequest,
  type ScoreRequest,
  type Split,
  type Taskset,
} from "@hone/core";
import { onAbort } from "../rollout/abort.ts";
import type { Blocked } from "../rollout/watchdog.ts";
import { Held } from "./held.ts";
import { type FromWorker, fromWire, type Question, type ToWorker, toWire, type WorkerSetup } from "./protocol.ts";

export interface WorkerEnvironmentOptions {
  /** Loaded here for its tasks and group rewards. */
  readonly environment: Environment;
  /** The file that each worker loads. */
  readonly file: string;
  readonly args?: JsonObject;
  readonly workers: number;
  readonly onBlocked?: (blocked: Blocked) => void;
}

interface Job {
  readonly request: RolloutRequest;
  readonly resolve: (rollout: Rollout) => void;
  readonly reject: (error: Error) => void;
}
interface Thread {
  readonly worker: Worker;
  readonly jobs: Map<number, Job>;
  readonly held: Held;
  readonly calls: Map<number, AbortController>;
}

export class WorkerEnvironment implements Environment, AsyncDisposable {
  readonly kind = "hone/environment";
  readonly info: EnvironmentInfo;
  readonly #options: WorkerEnvironmentOptions;
  readonly #threads: (Thread | undefined)[];
  #nextId = 0;

  constructor(options: WorkerEnvironmentOptions) {
    this.#options = options;
    this.info = options.environment.info;
    this.#threads = Array.from({ length: options.workers }, () => undefined);
  }

  tasks(which: Split): Taskset {
    return this.#options.environment.tasks(which);
  }

  score(request: ScoreRequest): Promise<readonly Rollout[]> {
    return this.#options.environment.score(request);
  }

  rollout(request: RolloutRequest): Promise<Rollout> {
    const { task, identity, settings = {}, resources, signal } = request;
    const thread = this.#leastBusy();
    const id = this.#nextId++;
    return new Promise<Rollout>((resolve, reject) => {
      const stop = onAbort(signal, () => send(thread, { type: "abort", id, reason: "cancelled" }));
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T): void => {
          stop();
          settle(value);
        };
      thread.jobs.set(id, { request, resolve: settled(resolve), reject: settled(reject) });
      const job = {
        task,
        identity,
        settings,
        sampling: resources.sampling,
        model: resources.model.name,
        harness: resources.harness?.id,
      };
      send(thread, { type: "rollout", id, job });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const live = this.#threads.flatMap((thread) => thread ?? []);
    this.#threads.fill(undefined);
    await Promise.all(live.map(({ worker }) => worker.terminate()));
  }

  #leastBusy(): Thread {
    let best = 0;
    for (let index = 0; index < this.#threads.length; index++) {
      if ((this.#threads[index]?.jobs.size ?? 0) < (this.#threads[best]?.jobs.size ?? 0)) best = index;
    }
    return (this.#threads[best] ??= this.#start(best));
  }

  #start(index: number): Thread {
    const { file, args = {} } = this.#options;
    const setup: WorkerSetup = { file, args };
    const program = createRequire(import.meta.url).resolve("#worker/worker");
    const worker = new Worker(program, { workerData: setup, execArgv: [] });
    const thread: Thread = { worker, jobs: new Map(), held: new Held(), calls: new Map() };
    worker.on("message", (message: FromWorker) => this.#receive(thread, message));
    worker.on("error", (error) => this.#fail(thread, index, error.message));
    worker.on("exit", (code) => this.#fail(thread, index, `it ended with code ${code}`));
    worker.unref();
    return thread;
  }

  #fail(thread: Thread, index: number, reason: string): void {
    if (this.#threads[index] === thread) this.#threads[index] = undefined;
    for (const controller of thread.calls.values()) controller.abort();
    void thread.held[Symbol.asyncDispose]();
    const message = `The worker of ${this.info.name} died: ${reason}.`;
    for (const job of thread.jobs.values())
      job.reject(new HoneError(message, { code: "worker-died", isRetryable: true }));
    thread.jobs.clear();
  }

  #receive(thread: Thread, message: FromWorker): void {
    switch (message.type) {
      case "ready":
        break;
      case "rollout-end":
      case "rollout-fail": {
        const job = thread.jobs.get(message.id);
        thread.jobs.delete(message.id);
        if (message.type === "rollout-end") job?.resolve(message.rollout);
        else job?.reject(fromWire(message.error));
        break;
      }
      case "ask":
        void this.#answer(thread, message.call, message.id, message.question);
        break;
      case "cancel":
        thread.calls.get(message.call)?.abort();
        break;
      case "blocked":
        this.#options.onBlocked?.(message.blocked);
        break;
    }
  }

  async #answer(thread: Thread, call: number, id: number, question: Question): Promise<void> {
    const controller = new AbortController();
    thread.calls.set(call, controller);
    try {
      const resources = thread.jobs.get(id)?.request.resources;
      if (resources === undefined) throw new HoneError("This rollout is over.", { code: "rollout-over" });
      send(thread, {
        type: "answer",
        call,
        value: await thread.held.perform(question, resources, controller.signal),
      });
    } catch (error) {
      send(thread, { type: "refuse", call, error: toWire(error) });
    } finally {
      thread.calls.delete(call);
    }
  }
}

function send(thread: Thread, message: ToWorker): void {
  thread.worker.postMessage(message);
}
