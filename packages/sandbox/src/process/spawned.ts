// One program of an unconfined sandbox: a process group. It has ended when its first process has; what that printed is read to the last byte, even
// when others of the group keep the pipes open.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { systemCode } from "../shared/errors.ts";

export interface SpawnedOptions {
  readonly arguments: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly onOutput: (stream: "stdout" | "stderr", chunk: Uint8Array) => void;
}

export class Spawned {
  /** Its exit code, when all it printed has been handed over. */
  readonly ended: Promise<number>;
  readonly input: Writable;
  readonly pid: number;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  #received = 0;
  #hasEnded = false;
  #isDraining = false;

  private constructor(child: ChildProcessByStdio<Writable, Readable, Readable>, pid: number, options: SpawnedOptions) {
    this.#child = child;
    this.pid = pid;
    this.input = child.stdin;
    // A program that does not read its input is no error.
    child.stdin.on("error", () => undefined);
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].on("data", (chunk: Uint8Array) => {
        this.#received++;
        if (!this.#hasEnded) options.onOutput(stream, chunk);
      });
    }
    this.ended = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        void this.#drained().then(() => {
          this.#hasEnded = true;
          this.#letGo();
          resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
        });
      });
    });
  }

  static start(program: string, options: SpawnedOptions): Promise<Spawned> {
    const { arguments: given, cwd, env } = options;
    const child = spawn(program, given, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("spawn", () => resolve(new Spawned(child, child.pid ?? 0, options)));
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** To the whole group. */
  signal(name: NodeJS.Signals): void {
    try {
      process.kill(-this.pid, name);
    } catch (error) {
      if (systemCode(error) !== "ESRCH") throw error;
    }
  }

  /** Not at the end: what is left in the pipes is little, and must not be mistaken for nothing. */
  pause(): void {
    if (this.#isDraining) return;
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream.pause();
  }

  resume(): void {
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream.resume();
  }

  /** What is left in the background may go on printing: it is read, by nobody, and does not keep the host program alive. */
  #letGo(): void {
    this.#child.stdin.destroy();
    for (const stream of [this.#child.stdout, this.#child.stderr]) (stream as Socket).unref();
  }

  /** Three turns of the event loop in which nothing came: each looks at the pipes once. */
  async #drained(): Promise<void> {
    this.#isDraining = true;
    this.resume();
    for (let quiet = 0; quiet < 3; quiet++) {
      const before = this.#received;
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#received > before) quiet = 0;
    }
  }
}
