// Signals for Python programs in one thread that never returns to its event loop. While Python computes it asks, every few hundred steps, whether a signal
// is there; what it asks is this: the clock for the time limit, and a few bytes of a file that the host shares and writes into.
// A program that asks (Python code does, long computations inside C do not) can always be ended without ending the interpreter.
import { readSync } from "node:fs";
import { signalNumbers, signalRecordBytes } from "./frames.ts";
import { ProgramExit } from "./pyodide-imports.ts";

/** How often the shared bytes are read, and the longest that a sleeping program goes without looking. */
const lookEveryMs = 10;
/** Most questions are answered without even looking at the clock. */
const questionsPerLook = 64;

interface Watched {
  readonly id: number;
  readonly deadline: number;
  /** The last signal from the host that it got. */
  seenCount: number;
}

export class Signals {
  readonly #fd: number;
  readonly #record = new Uint32Array(signalRecordBytes / 4);
  readonly #sleeper = new Int32Array(new SharedArrayBuffer(4));
  #questions = 0;
  #nextLook = 0;
  #pending = 0;
  #program: Watched | undefined;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** Watches the program that starts now. Gives what ends the watch. */
  watch(id: number, deadline: number): () => void {
    this.#program = { id, deadline, seenCount: 0 };
    this.#pending = 0;
    return () => (this.#program = undefined);
  }

  /** The interpreter's question: a signal's number or 0. Ends the program where it has no say. */
  take(): number {
    if (this.#pending === 0 && ++this.#questions % questionsPerLook !== 0) return 0;
    this.#look();
    const signal = this.#pending;
    this.#pending = 0;
    return signal;
  }

  /** Waits, and gives true if a signal came meanwhile; the interpreter will ask for it. */
  sleep(milliseconds: number): boolean {
    const until = performance.now() + milliseconds;
    for (;;) {
      this.#look();
      if (this.#pending !== 0) return true;
      const left = until - performance.now();
      if (left <= 0) return false;
      Atomics.wait(this.#sleeper, 0, 0, Math.min(left, lookEveryMs));
    }
  }

  /** A signal from the host. The same one comes by two ways: through the shared bytes and as a frame. */
  deliver(count: number, id: number, signal: number): void {
    const program = this.#program;
    if (program?.id !== id || count <= program.seenCount) return;
    program.seenCount = count;
    if (signal === signalNumbers.SIGINT) this.#pending = signal;
    // oxlint-disable-next-line only-throw-error -- ends the program, is no error
    else throw new ProgramExit(128 + signal);
  }

  get hasPending(): boolean {
    return this.#pending !== 0;
  }

  #look(): void {
    const program = this.#program;
    if (program === undefined) return;
    const now = performance.now();
    // oxlint-disable-next-line only-throw-error -- ends the program, is no error
    if (now >= program.deadline) throw new ProgramExit(128 + signalNumbers.SIGKILL);
    if (now < this.#nextLook) return;
    this.#nextLook = now + lookEveryMs;
    readSync(this.#fd, this.#record, 0, signalRecordBytes, 0);
    const [count = 0, id = 0, signal = 0] = this.#record;
    this.deliver(count, id, signal);
  }
}
