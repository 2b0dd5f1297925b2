// Starts programs in a sandbox, knows which are running, and ends them: at a time limit, on abort, when the whole sandbox uses too much.
// A program that runs out of time takes with it every process that is no descendant of another running program, so nothing can hide from it
// by leaving its parent.
import { onAbort } from "../shared/abort.ts";
import { CappedOutput } from "../shared/capped-output.ts";
import { closedError, sandboxError } from "../shared/errors.ts";
import type { Limits } from "../shared/settings.ts";
import type { Anchor } from "./anchor.ts";
import { Program, type ProgramHandlers } from "./program.ts";
import type { Slots } from "./slots.ts";
import type { ProgramScript } from "./supervisor.ts";
import { brokenLimit, measureUsage, nextLookMs, type Usage } from "./usage.ts";

/** A killed program that has not ended after this long is ended by stronger means. */
const patienceMs = 3000;

export interface RunnerOptions {
  readonly anchor: Anchor;
  readonly slots: Slots;
  readonly limits: Limits;
  /** The sum over all processes is watched here: no cgroup does it. */
  readonly isWatched: boolean;
}

export interface RunOptions {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly signal?: AbortSignal | undefined;
}
export interface RunResult {
  readonly exitCode: number;
  readonly stdout: CappedOutput;
  readonly stderr: CappedOutput;
  readonly timedOut: boolean;
}

/** What a program needs, written for the slot it gets. */
export type ScriptFor = (slot: number) => ProgramScript | Promise<ProgramScript>;

export class Runner {
  readonly #options: RunnerOptions;
  readonly #programs = new Set<Program>();
  #isClosed = false;
  #watch: NodeJS.Timeout | undefined;
  #files = 0;
  /** Pending while processes killed for a limit are still there: what starts now must not pay for them. */
  #cleared: Promise<void> = Promise.resolve();

  constructor(options: RunnerOptions) {
    this.#options = options;
    void options.anchor.ended.then(() => {
      for (const program of this.#programs) program.abandon();
    });
  }

  /** A program from start to end. A sandbox that dies under it is an error; anything else is a result. */
  async run(scriptFor: ScriptFor, options: RunOptions): Promise<RunResult> {
    const { timeoutMs, maxOutputBytes, signal } = options;
    signal?.throwIfAborted();
    const output = { stdout: new CappedOutput(maxOutputBytes), stderr: new CappedOutput(maxOutputBytes) };
    let onEnd: (exitCode: number) => void = () => undefined;
    const ended = new Promise<number>((resolve) => (onEnd = resolve));
    const program = await this.launch(scriptFor, {
      onOutput: (stream, chunk) => output[stream].add(chunk),
      onEnd: (exitCode) => onEnd(exitCode),
    });
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      this.#kill(program);
    }, timeoutMs);
    const stopListening = onAbort(signal, () => this.#kill(program));
    const exitCode = await ended;
    clearTimeout(timer);
    stopListening();
    signal?.throwIfAborted();
    // Killed by nobody here: perhaps with the whole sandbox, whose end is noticed a moment later than the program's.
    if (exitCode === 137 && !timedOut) await soon(this.#options.anchor.ended);
    this.#checkAlive();
    return { exitCode, ...output, timedOut };
  }

  /** A program that goes on. */
  async launch(scriptFor: ScriptFor, handlers: ProgramHandlers): Promise<Program> {
    const { slots, anchor } = this.#options;
    this.#checkAlive();
    await this.#cleared;
    try {
      const slot = await slots.take();
      await slots.writeScript(slot, await scriptFor(slot));
      const tracked: ProgramHandlers = {
        ...handlers,
        onEnd: (exitCode) => {
          this.#programs.delete(program);
          handlers.onEnd(exitCode);
        },
      };
      const program = await Program.open(slots, slot, tracked);
      this.#programs.add(program);
      this.#checkAlive();
      anchor.order(`run ${slot}`);
      this.#look();
      return program;
    } catch (cause) {
      this.#checkAlive();
      throw sandboxError("sandbox-dead", "A program could not be started in the sandbox.", {
        cause,
        isRetryable: true,
      });
    }
  }

  signal(program: Program, name: "INT" | "TERM" | "KILL"): void {
    if (!program.hasEnded && !this.#options.anchor.isEnded)
      this.#options.anchor.order(`signal ${program.slot} ${name}`);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#watch);
    await this.#options.anchor.stop();
  }

  #kill(program: Program): void {
    const { anchor } = this.#options;
    if (program.hasEnded || anchor.isEnded) return;
    const others = [...this.#programs].filter((other) => other !== program).map(({ slot }) => slot);
    anchor.order(others.length === 0 ? "clear" : `end ${program.slot} ${others.join(" ")}`);
    const stronger = [() => anchor.order("clear"), () => void anchor.stop()];
    const wait = (): void => {
      setTimeout(() => {
        if (program.hasEnded || anchor.isEnded) return;
        stronger.shift()?.();
        wait();
      }, patienceMs).unref();
    };
    wait();
  }

  /** Looks at what is used as long as anything runs. */
  #look(): void {
    if (!this.#options.isWatched || this.#watch !== undefined) return;
    const { anchor, limits } = this.#options;
    const look = (): void => {
      this.#watch = undefined;
      const usage = anchor.isEnded ? undefined : this.#measure();
      if (usage === undefined || (usage.processes <= 1 && this.#programs.size === 0)) return;
      const broken = brokenLimit(usage, limits, this.#files);
      // What is killed may still finish a few files: the next look only counts them.
      this.#files = broken === undefined ? usage.files : Number.POSITIVE_INFINITY;
      if (broken !== undefined) this.#clear(broken);
      this.#watch = setTimeout(look, nextLookMs(usage, limits)).unref();
    };
    this.#watch = setTimeout(look, nextLookMs(undefined, limits)).unref();
  }

  #measure(): Usage | undefined {
    try {
      return measureUsage(`/proc/${this.#options.anchor.pid}/root`, this.#options.limits);
    } catch {
      // The sandbox ended while it was looked at.
      return undefined;
    }
  }

  #clear(reason: string): void {
    const complaint = new TextEncoder().encode(`sandbox: all processes killed: ${reason}\n`);
    for (const program of this.#programs) program.say("stderr", complaint);
    this.#options.anchor.order("clear");
    this.#cleared = this.#untilReleased();
  }

  /** The kernel takes a moment to give memory back; at most two seconds are waited for it. */
  async #untilReleased(): Promise<void> {
    for (let tries = 0; tries < 100; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const usage = this.#options.anchor.isEnded ? undefined : this.#measure();
      if (usage === undefined || brokenLimit(usage, this.#options.limits, Number.POSITIVE_INFINITY) === undefined)
        return;
    }
  }

  #checkAlive(): void {
    if (this.#isClosed) throw closedError();
    if (!this.#options.anchor.isEnded) return;
    throw sandboxError("sandbox-dead", "The sandbox has died.", {
      hint: "Something outside killed it, such as the system when memory ran out. Open a new one.",
      isRetryable: true,
    });
  }
}

async function soon(event: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, 250);
  });
  await Promise.race([event, late]);
  clearTimeout(timer);
}
