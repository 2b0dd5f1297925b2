// One sealed child as the host sees it: programs to run, files to hand over, and what the child says. When the process has gone, everything still open ends
// with `InterpreterGone`; whoever holds it decides whether to start another.
import { writeSync } from "node:fs";
import type { CallOptions } from "@hone/core";
import {
  encodeFrame,
  type Frame,
  FrameCollector,
  type Reply,
  type Request,
  type RunLimits,
  signalNumbers,
  signalRecordBytes,
} from "../child/frames.ts";
import { sandboxError } from "../shared/errors.ts";
import type { SealedChild } from "./child-process.ts";
import { UnlinkedFile } from "./unlinked-file.ts";

export interface InterpreterOptions {
  /** In messages. */
  readonly name: string;
  /** Gets the descriptor of the bytes through which programs that compute are signalled. */
  readonly start: (signalFile: number) => SealedChild;
  readonly diskMb: number;
}
export interface InterpreterListener {
  /** Output of a job, and files that programs changed. */
  readonly onFrame: (frame: Frame<NewsReply>) => void;
}

export class InterpreterGone extends Error {
  /** What it said last, for people. */
  readonly complaints: string;

  constructor(complaints: string) {
    super("the interpreter's process has ended");
    this.complaints = complaints;
  }
}

export type NewsReply = Extract<Reply, { readonly op: "output" | "files" }>;
type EndedReply = Extract<Reply, { readonly op: "ended" }>;
type FilesBody = Omit<Extract<Request<never>, { readonly op: "files" }>, "op">;

const startTimeoutMs = 60_000;
/** Beside the files, which fill the disk at most: output. */
const longestOutputBytes = 2 ** 29;

export class Interpreter<Body> {
  /** Resolves when the process is gone. */
  readonly gone: Promise<void>;
  readonly #child: SealedChild;
  readonly #signalFile = new UnlinkedFile();
  readonly #running = new Map<number, { resolve(frame: Frame<EndedReply>): void; reject(error: Error): void }>();
  readonly #frames: FrameCollector<Reply>;
  readonly #onFrame: InterpreterListener["onFrame"];
  #ready: { resolve(): void; reject(error: Error): void } | undefined;
  #filesSent = 0;
  #nextId = 1;
  #signalCount = 0;
  #complaints = "";
  #isGone = false;

  static async start<Body>(
    options: InterpreterOptions & InterpreterListener,
    { signal }: CallOptions,
  ): Promise<Interpreter<Body>> {
    signal.throwIfAborted();
    const interpreter = new Interpreter<Body>(options);
    const stop = (): void => interpreter.kill();
    const timer = setTimeout(stop, startTimeoutMs);
    signal.addEventListener("abort", stop, { once: true });
    try {
      await new Promise<void>((resolve, reject) => (interpreter.#ready = { resolve, reject }));
      return interpreter;
    } catch (error) {
      signal.throwIfAborted();
      const said = error instanceof InterpreterGone ? `\n${error.complaints}`.trimEnd() : "";
      throw sandboxError("sandbox-open", `${options.name} did not start.${said}`, { isRetryable: true, cause: error });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  private constructor({ start, onFrame, diskMb }: InterpreterOptions & InterpreterListener) {
    writeSync(this.#signalFile.fd, new Uint8Array(signalRecordBytes), 0, signalRecordBytes, 0);
    this.#onFrame = onFrame;
    this.#frames = new FrameCollector(diskMb * 2 ** 21 + longestOutputBytes);
    this.#child = start(this.#signalFile.fd);
    const { process, replies } = this.#child;
    replies.on("data", (chunk: Buffer) => this.#take(chunk));
    process.stderr?.on("data", (chunk: Buffer) => {
      this.#complaints = (this.#complaints + chunk.toString()).slice(-2000);
    });
    this.gone = new Promise<void>((resolve) => {
      // All that it wrote has been read by "close"; a process that never started has no "close".
      process.once("close", () => resolve());
      process.once("error", () => resolve());
    }).then(() => this.#end());
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Starts a program, as a job where there are no limits. Its id is known at once, its end is a promise. */
  run(
    body: Body,
    limits?: RunLimits,
    stdin?: Uint8Array,
  ): { readonly id: number; readonly ended: Promise<Frame<EndedReply>> } {
    const id = this.#nextId++;
    const ended = new Promise<Frame<EndedReply>>((resolve, reject) => {
      if (this.#isGone) reject(new InterpreterGone(this.#complaints));
      else this.#running.set(id, { resolve, reject });
    });
    this.#send({ op: "run", id, body, ...(limits === undefined ? {} : { limits }) }, stdin);
    return { id, ended };
  }

  /** Takes over files from elsewhere, before anything that is asked for later. */
  takeFiles(body: FilesBody, payload: Uint8Array): void {
    this.#filesSent++;
    this.#send({ ...body, op: "files" }, payload);
  }

  get filesSent(): number {
    return this.#filesSent;
  }

  /** Standard input of a job. Resolves when it is on its way. */
  async input(id: number, payload: Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => this.#send({ op: "input", id }, payload, resolve));
  }

  /** Reaches a program that computes through the shared bytes, and one that waits through the pipe. */
  signal(id: number, name: keyof typeof signalNumbers): void {
    if (this.#isGone) return;
    const signal = signalNumbers[name];
    const count = ++this.#signalCount;
    writeSync(this.#signalFile.fd, new Uint32Array([count, id, signal]), 0, signalRecordBytes, 0);
    this.#send({ op: "signal", id, count, signal });
  }

  pause(): void {
    this.#child.replies.pause();
  }

  resume(): void {
    this.#child.replies.resume();
  }

  kill(): void {
    this.#child.process.kill("SIGKILL");
    this.resume();
  }

  #send(request: Request<Body>, payload?: Uint8Array, onSent: () => void = () => undefined): void {
    if (this.#isGone) onSent();
    else this.#child.requests.write(encodeFrame(request, payload), onSent);
  }

  #take(chunk: Uint8Array): void {
    try {
      for (const { header, payload } of this.#frames.add(chunk)) {
        if (header.op === "ready") this.#ready?.resolve();
        else if (header.op === "ended") {
          this.#running.get(header.id)?.resolve({ header, payload });
          this.#running.delete(header.id);
        } else this.#onFrame({ header, payload });
      }
    } catch {
      // What it says makes no sense: something has broken it.
      this.kill();
    }
  }

  #end(): void {
    this.#isGone = true;
    this.#signalFile[Symbol.dispose]();
    const error = new InterpreterGone(this.#complaints);
    this.#ready?.reject(error);
    for (const program of this.#running.values()) program.reject(error);
    this.#running.clear();
  }
}
