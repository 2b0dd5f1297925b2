// The program's end of the engine's thread: sends calls, settles their promises, and says it once when the thread is gone.
// Invariant: every call settles. A thread that died or was closed rejects what is pending and whatever is asked afterwards.
import { Worker } from "node:worker_threads";
import { HoneError } from "@hone/core";
import {
  type AnyCall,
  type AnswerOf,
  type CallName,
  countPlaces,
  type FromWorker,
  fromWire,
  newCounts,
  type QuestionOf,
  type Ready,
  sequencesOf,
  type ToWorker,
  type WorkerSettings,
  type WorkerSetup,
} from "./protocol.ts";

interface Pending {
  readonly resolve: (value: AnswerOf<CallName>) => void;
  readonly reject: (reason: unknown) => void;
}

/** What a thread says of itself while it starts. */
interface Starting {
  readonly resolve: (ready: Ready) => void;
  readonly reject: (reason: unknown) => void;
}

export class Connection {
  /** Settles when the model is loaded. */
  readonly ready: Promise<Ready>;
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #counts: Int32Array;
  #starting: Starting | undefined;
  #nextId = 0;
  #sequencesSent = 0;
  /** Why nothing can be asked any more. */
  #end: HoneError | undefined;
  #closing: Promise<void> | undefined;

  /** `program` is the thread's file, built JavaScript. */
  constructor(program: string, settings: WorkerSettings) {
    const counts = newCounts();
    this.#counts = new Int32Array(counts);
    const workerData: WorkerSetup = { settings, counts };
    this.#worker = new Worker(program, { workerData, execArgv: [] });
    this.ready = new Promise((resolve, reject) => {
      this.#starting = { resolve, reject };
    });
    this.#worker.on("message", (message: FromWorker) => this.#receive(message));
    this.#worker.on("error", (error) => this.#fail(crash(error)));
    this.#worker.on("exit", (code) => this.#fail(crash(new Error(`it ended with code ${code}`))));
  }

  /** Rejects at once when `signal` aborts; the thread is told to stop. */
  call<Name extends CallName>(method: Name, question: QuestionOf<Name>, signal?: AbortSignal): Promise<AnswerOf<Name>> {
    return new Promise<AnswerOf<Name>>((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#end !== undefined) throw this.#end;
      const id = this.#nextId++;
      const abort = (): void => {
        this.#take(id);
        this.#send({ type: "cancel", id });
        reject(signal?.reason as Error);
      };
      // The message is what the name says; the compiler cannot follow a union through a generic name.
      const call = { ...question, method } as unknown as AnyCall;
      this.#send({ type: "call", id, call });
      this.#sequencesSent += sequencesOf(call);
      // A thread that has nothing to do does not keep the program alive, one that works does.
      if (this.#pending.size === 0) this.#worker.ref();
      this.#pending.set(id, {
        resolve: (value) => {
          signal?.removeEventListener("abort", abort);
          resolve(value);
        },
        reject: (reason) => {
          signal?.removeEventListener("abort", abort);
          reject(reason);
        },
      });
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  /** Sequences that are on their way to the thread count as waiting. */
  load(): { readonly running: number; readonly queued: number } {
    if (this.#end !== undefined) return { running: 0, queued: 0 };
    const at = (place: keyof typeof countPlaces): number => Atomics.load(this.#counts, countPlaces[place]);
    // Both counters wrap around at 2^32, and so does their difference.
    const underWay = (this.#sequencesSent - at("received")) | 0;
    return { running: at("running"), queued: at("queued") + Math.max(underWay, 0) };
  }

  close(): Promise<void> {
    this.#closing ??= this.#terminate();
    return this.#closing;
  }

  async #terminate(): Promise<void> {
    this.#fail(new HoneError("the engine is closed", { code: "closed" }));
    await this.#worker.terminate();
  }

  #send(message: ToWorker): void {
    try {
      this.#worker.postMessage(message);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new HoneError(`what was asked cannot be sent to the engine's thread: ${reason}`, {
        code: "bad-request",
        hint: "Hand in plain data: numbers, texts, typed arrays.",
        cause,
      });
    }
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (this.#pending.delete(id) && this.#pending.size === 0) this.#worker.unref();
    return pending;
  }

  #receive(message: FromWorker): void {
    switch (message.type) {
      case "ready":
        this.#starting?.resolve(message.ready);
        this.#starting = undefined;
        if (this.#pending.size === 0) this.#worker.unref();
        break;
      case "refused":
        this.#fail(fromWire(message.error));
        break;
      case "answer":
        this.#take(message.id)?.resolve(message.value);
        break;
      case "failure":
        this.#take(message.id)?.reject(fromWire(message.error));
        break;
    }
  }

  /** The first reason counts. */
  #fail(reason: HoneError): void {
    this.#end ??= reason;
    this.#starting?.reject(this.#end);
    this.#starting = undefined;
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(this.#end);
  }
}

function crash(error: Error): HoneError {
  const isMemory = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
  return new HoneError(`the engine's thread died: ${error.message}`, {
    code: "engine-crashed",
    hint: isMemory
      ? "Lower contextTokens, cacheBytes or snapshotBytes, or train with fewer tokens at a time."
      : "Create the engine again and open the trainer from its last checkpoint.",
    cause: error,
  });
}
