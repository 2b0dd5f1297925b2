// Worker threads that compare long answers, so that the event loop stays free. A worker that takes too long or dies is replaced;
// its answer counts as not equal, for it could not be verified.
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import type { MathOptions } from "./options.ts";

export interface MathJob {
  readonly answer: string;
  readonly gold: string;
  readonly options: MathOptions;
}

export interface MathPoolOptions {
  /** At most so many threads, started when first needed. */
  readonly workers: number;
  /** For one comparison, not counting the start of its thread. */
  readonly timeoutMs: number;
  /** The worker's file; default: the one built beside this. */
  readonly program?: string;
}

interface Pending {
  readonly job: MathJob;
  readonly resolve: (isEqual: boolean) => void;
}

interface Thread {
  readonly worker: Worker;
  isOnline: boolean;
  pending: Pending | undefined;
  timer: NodeJS.Timeout | undefined;
}

const resourceLimits = { maxOldGenerationSizeMb: 256, stackSizeMb: 8 };

export class MathPool implements AsyncDisposable {
  readonly #options: MathPoolOptions;
  readonly #threads = new Set<Thread>();
  readonly #queue: Pending[] = [];

  constructor(options: MathPoolOptions) {
    this.#options = options;
  }

  /** Threads that are alive. */
  get size(): number {
    return this.#threads.size;
  }

  /** Never rejects: what cannot be compared is not equal. */
  compare(job: MathJob): Promise<boolean> {
    return new Promise((resolve) => {
      this.#queue.push({ job, resolve });
      this.#assign();
    });
  }

  /** Ends the threads; comparisons under way come back as not equal. The pool starts again when it is used again. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const { resolve } of this.#queue.splice(0)) resolve(false);
    await Promise.all([...this.#threads].map((thread) => this.#end(thread)));
  }

  #assign(): void {
    while (this.#queue.length > 0) {
      const idle = [...this.#threads].find(({ pending }) => pending === undefined);
      if (idle === undefined && this.#threads.size >= this.#options.workers) return;
      const pending = this.#queue.shift();
      if (pending === undefined) return;
      const thread = idle ?? this.#start();
      thread.pending = pending;
      thread.worker.ref();
      thread.worker.postMessage(pending.job);
      if (thread.isOnline) this.#watch(thread);
    }
  }

  #start(): Thread {
    const program = this.#options.program ?? createRequire(import.meta.url).resolve("#worker/math");
    const worker = new Worker(program, { execArgv: [], resourceLimits });
    const thread: Thread = { worker, isOnline: false, pending: undefined, timer: undefined };
    worker.on("online", () => {
      thread.isOnline = true;
      if (thread.pending !== undefined) this.#watch(thread);
    });
    worker.on("message", (isEqual: boolean) => this.#settle(thread, isEqual));
    worker.on("error", () => void this.#end(thread));
    worker.on("exit", () => void this.#end(thread));
    this.#threads.add(thread);
    return thread;
  }

  #watch(thread: Thread): void {
    thread.timer = setTimeout(() => void this.#end(thread), this.#options.timeoutMs);
  }

  #settle(thread: Thread, isEqual: boolean): void {
    clearTimeout(thread.timer);
    const { pending } = thread;
    thread.pending = undefined;
    // An idle thread does not keep the process alive, a busy one does.
    thread.worker.unref();
    pending?.resolve(isEqual);
    this.#assign();
  }

  async #end(thread: Thread): Promise<void> {
    if (!this.#threads.delete(thread)) return;
    this.#settle(thread, false);
    await thread.worker.terminate();
  }
}
