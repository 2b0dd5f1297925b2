// The host's side of a sandbox whose programs run in sealed children. Commands run one after the other in one child; whatever else wants a child takes one of
// its own. Files live here and are handed around when programs begin, print, wait and end. A child that has to be killed takes its program with it and
// nothing else: the next one starts from the files.
import type { CallOptions, ExecResult } from "@hone/core";
import type { Frame, RunLimits } from "../child/frames.ts";
import { closedError } from "../shared/errors.ts";
import { Interpreter, type InterpreterOptions, type NewsReply } from "./interpreter.ts";
import { runCommand, timedOutWaiting } from "./run-command.ts";
import { Turns } from "./turns.ts";
import { type Change, VirtualFiles } from "./virtual-files.ts";

export interface Execution<Body> {
  readonly body: Body;
  readonly limits: RunLimits;
  readonly stdin: string;
  readonly signal?: AbortSignal | undefined;
}

export type OutputListener<Body> = (from: Interpreter<Body>, stream: "stdout" | "stderr", bytes: Uint8Array) => void;

export class SealedHost<Body> implements AsyncDisposable {
  readonly files: VirtualFiles;
  readonly #options: InterpreterOptions;
  readonly #onOutput: OutputListener<Body>;
  readonly #interpreters = new Set<Interpreter<Body>>();
  readonly #turns = new Turns();
  readonly #closing = new AbortController();
  /** The one for commands. */
  #commands: Promise<Interpreter<Body>> | undefined;

  constructor(options: InterpreterOptions, onOutput: OutputListener<Body> = () => undefined) {
    this.#options = options;
    this.#onOutput = onOutput;
    this.files = new VirtualFiles(options.diskMb * 2 ** 20);
  }

  /** Starts a child before it is needed. */
  async warm({ signal }: CallOptions): Promise<void> {
    await this.#forCommands(signal);
  }

  refuseClosed(): void {
    if (this.#closing.signal.aborted) throw closedError();
  }

  async execute({ body, limits, stdin, signal = never }: Execution<Body>): Promise<ExecResult> {
    this.refuseClosed();
    signal.throwIfAborted();
    const turn = await this.#turns.take(limits.timeoutMs, AbortSignal.any([signal, this.#closing.signal]));
    try {
      this.refuseClosed();
      signal.throwIfAborted();
      if (turn === undefined) return timedOutWaiting;
      const interpreter = await this.#forCommands(signal);
      const result = await runCommand(interpreter, body, { limits, stdin, signal });
      this.refuseClosed();
      return result;
    } finally {
      turn?.end();
    }
  }

  /** A child for something that lasts: the one for commands if it has nothing to do, so that a sandbox that is only a REPL needs no second. */
  async takeInterpreter(): Promise<Interpreter<Body>> {
    this.refuseClosed();
    const turn = this.#turns.takeNow();
    if (turn === undefined) return this.#boot(never);
    try {
      const interpreter = await this.#forCommands(never);
      this.#commands = undefined;
      return interpreter;
    } finally {
      turn.end();
    }
  }

  write(path: string, content: string | Uint8Array): void {
    this.refuseClosed();
    this.#tell(this.files.write(path, typeof content === "string" ? Buffer.from(content) : content));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(closedError());
    await this.#commands?.catch(() => undefined);
    const all = [...this.#interpreters];
    for (const interpreter of all) interpreter.kill();
    await Promise.all(all.map(({ gone }) => gone));
  }

  async #forCommands(signal: AbortSignal): Promise<Interpreter<Body>> {
    const current = await this.#commands?.catch(() => undefined);
    if (current !== undefined && !current.isGone) return current;
    this.#commands = this.#boot(signal);
    return this.#commands;
  }

  async #boot(signal: AbortSignal): Promise<Interpreter<Body>> {
    let interpreter: Interpreter<Body> | undefined;
    const onFrame = (frame: Frame<NewsReply>): void => {
      if (interpreter !== undefined) this.#take(frame, interpreter);
    };
    const either = AbortSignal.any([signal, this.#closing.signal]);
    const started = await Interpreter.start<Body>({ ...this.#options, onFrame }, { signal: either });
    interpreter = started;
    this.#interpreters.add(started);
    void started.gone.then(() => this.#interpreters.delete(started));
    tell(started, this.files.all());
    return started;
  }

  #take({ header, payload }: Frame<NewsReply>, from: Interpreter<Body>): void {
    if (header.op === "output") {
      this.#onOutput(from, header.stream, payload);
      return;
    }
    const change = { changed: header.changed, removed: header.removed, contents: payload };
    this.files.apply(change);
    // What it had not seen yet lies between its change and now, and is put right by telling it what it said.
    this.#tell(change, header.seen < from.filesSent ? undefined : from);
  }

  #tell(change: Change, except?: Interpreter<Body>): void {
    for (const interpreter of this.#interpreters) if (interpreter !== except) tell(interpreter, change);
  }
}

const never: AbortSignal = new AbortController().signal;

function tell(interpreter: Interpreter<never>, { changed, removed, contents }: Change): void {
  if (changed.length + removed.length > 0) interpreter.takeFiles({ changed, removed }, contents);
}
