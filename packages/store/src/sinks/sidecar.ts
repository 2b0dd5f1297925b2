// A child process that answers each JSON line with one JSON line. One question at a time, each with a time limit; what it prints besides is kept only as
// the last words of one that died. It has a process group of its own: a Ctrl-C that stops the run lets it finish, and nothing of it is left when it is killed.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { awayError } from "./sink.ts";
import type { Environment } from "./secrets.ts";

const mostLastWords = 2000;

export interface SidecarOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Environment;
  readonly directory: string;
}

export interface AskOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

interface Waiting {
  readonly resolve: (line: string) => void;
  readonly reject: (error: Error) => void;
}

export class Sidecar {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #exited: Promise<void>;
  #waiting: Waiting | undefined;
  #text = "";
  #lastWords = "";
  #end: Error | undefined;

  constructor({ command, args, env, directory }: SidecarOptions) {
    this.#child = spawn(command, args, {
      env,
      cwd: directory,
      stdio: ["pipe", "pipe", "pipe"],
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    // Its end is noticed by "close"; a pipe that breaks before says nothing new.
    this.#child.stdin.on("error", () => undefined);
    this.#child.stdout.setEncoding("utf8").on("data", (piece: string) => this.#hear(piece));
    this.#child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      this.#lastWords = `${this.#lastWords}${piece}`.slice(-mostLastWords);
    });
    this.#exited = new Promise((resolve) => {
      this.#child.on("error", (error) => this.#ended(error, resolve));
      this.#child.on("close", (code, signal) => {
        const words = this.#lastWords.trim().split("\n").at(-1);
        const how = code === null ? `was ended by ${signal}` : `ended with code ${code}`;
        this.#ended(awayError(`${command} ${how}${words === "" ? "" : `: ${words}`}`), resolve);
      });
    });
  }

  get isAlive(): boolean {
    return this.#end === undefined;
  }

  /** The answer's line. When time is up or nobody waits any more the process is killed: it would answer the wrong question. */
  async ask(question: object, { timeoutMs, signal }: AskOptions): Promise<string> {
    if (this.#end !== undefined) throw this.#end;
    signal.throwIfAborted();
    const onAbort = (): void => this.#fail(signal.reason as Error);
    const timer = setTimeout(
      () => this.#fail(awayError(`no answer within ${Math.round(timeoutMs / 1000)} s`)),
      timeoutMs,
    );
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await new Promise<string>((resolve, reject) => {
        this.#waiting = { resolve, reject };
        this.#child.stdin.write(`${JSON.stringify(question)}\n`);
      });
    } finally {
      this.#waiting = undefined;
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Lets it end by itself, for as long as the signal allows; then kills it. */
  async close(signal: AbortSignal): Promise<void> {
    this.#child.stdin.end();
    const kill = (): void => this.#kill();
    if (signal.aborted) kill();
    else signal.addEventListener("abort", kill, { once: true });
    await this.#exited;
    signal.removeEventListener("abort", kill);
  }

  #hear(piece: string): void {
    this.#text += piece;
    const end = this.#text.indexOf("\n");
    if (end < 0) return;
    const line = this.#text.slice(0, end);
    this.#text = this.#text.slice(end + 1);
    this.#waiting?.resolve(line);
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#kill();
  }

  #ended(error: Error, resolve: () => void): void {
    this.#end ??= error;
    this.#waiting?.reject(this.#end);
    resolve();
  }

  #kill(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#end !== undefined) return;
    try {
      if (process.platform === "win32") this.#child.kill("SIGKILL");
      else process.kill(-pid, "SIGKILL");
    } catch {
      // It ended in the meantime.
    }
  }
}
