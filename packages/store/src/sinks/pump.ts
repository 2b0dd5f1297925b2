// One sink at work: reads the streams on from where delivery stands, sends batch after batch, notes each before and after. Its troubles become notices.
// It is never waited for while the run lasts; when the run is over it has until the deadline, and says what it could not deliver.
import { HoneError } from "@hone/core";
import type { Feed, FeedBatch } from "./feed.ts";
import { untilDone } from "./retry.ts";
import { awayError, isRefused, type RunStatus, type Sink, type SinkNotice, type SinkStream } from "./sink.ts";
import { type Sending, type SinksState, type SinkState, withDelivered, withSending } from "./state.ts";

export interface PumpOptions {
  readonly sink: Sink;
  readonly feeds: readonly Feed[];
  readonly states: SinksState;
  readonly state: SinkState;
  readonly notify: (notice: Omit<SinkNotice, "sink">) => void;
  readonly pollMs: number;
  readonly now: () => number;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

interface Outgoing extends Sending {
  readonly points: FeedBatch["points"];
}

export class Pump {
  readonly #options: PumpOptions;
  readonly #running: Promise<void>;
  readonly #hardStop = new AbortController();
  readonly #told = new Set<string>();
  #state: SinkState;
  #wake: (() => void) | undefined;
  #isFinishing = false;
  #isOpen = false;
  #isOver = false;
  #refused = 0;

  constructor(options: PumpOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#stopWith(options.signal);
    this.#running = this.#run().catch((error: unknown) => this.#giveUp(error));
  }

  /** Follows to the end of the files and closes, before `deadline` says that it has been long enough. Never rejects. */
  async finish(status: RunStatus, deadline: AbortSignal): Promise<void> {
    this.#isFinishing = true;
    this.#wake?.();
    this.#stopWith(deadline);
    await this.#running;
    // Closing always happens, so that no process or file is left; with a signal that is aborted it is nothing but that.
    await this.#options.sink
      .close(status, this.#isOver ? AbortSignal.abort() : this.#hardStop.signal)
      .catch((error: unknown) => {
        if (!this.#isOver) this.#warn(`could not be closed properly: ${messageOf(error)}`, hintOf(error));
      });
    for (const signal of [this.#options.signal, deadline]) signal.removeEventListener("abort", this.#stop);
    await this.#report().catch(() => undefined);
  }

  #stopWith(signal: AbortSignal): void {
    if (signal.aborted) this.#stop();
    else signal.addEventListener("abort", this.#stop, { once: true });
  }

  readonly #stop = (): void => {
    this.#hardStop.abort();
    this.#wake?.();
  };

  async #run(): Promise<void> {
    // Noted before anything is made at the service: what is found there later is recognised by this id.
    await this.#save(this.#state);
    await this.#attempt(async () => this.#open());
    await this.#repeat();
    while (!this.#hardStop.signal.aborted) {
      const isLastLook = this.#isFinishing;
      const batch = await this.#attempt(async () => this.#next());
      if (batch !== undefined) {
        await this.#deliver(batch);
      } else if (isLastLook) {
        return;
      } else {
        await this.#wait(this.#options.pollMs);
      }
    }
  }

  async #open(): Promise<void> {
    const where = await this.#options.sink.open(this.#hardStop.signal);
    this.#isOpen = true;
    if (where !== undefined) this.#options.notify({ level: "info", message: where });
  }

  /** What was on its way when the run was killed. */
  async #repeat(): Promise<void> {
    const { sending } = this.#state;
    const feed = this.#options.feeds.find(({ stream }) => stream === sending?.stream);
    if (sending === undefined || feed === undefined) return;
    const batch = await this.#attempt(() => feed.repeat(sending.untilByte, sending.seenByte));
    if (batch !== undefined) await this.#deliver({ ...sending, points: batch.points });
  }

  async #next(): Promise<Outgoing | undefined> {
    for (const feed of this.#options.feeds) {
      const batch = await feed.next().catch((error: unknown) => {
        throw awayError(messageOf(error), error);
      });
      if (batch === undefined) continue;
      const { points, nextByte: untilByte, seenByte } = batch;
      return { stream: feed.stream, points, untilByte, seenByte, atMs: this.#options.now() };
    }
    return undefined;
  }

  async #deliver({ points, ...sending }: Outgoing): Promise<void> {
    const { sink } = this.#options;
    const { signal } = this.#hardStop;
    if (points.length > 0) {
      await this.#save(withSending(this.#state, sending));
      const { stream, atMs } = sending;
      const batch = { stream, points, atMs, first: this.#state.points };
      try {
        await this.#attempt(async () => {
          await sink.open(signal);
          await sink.send(batch, signal);
        });
      } catch (error) {
        if (!isRefused(error)) throw error;
        this.#refused += points.length;
        this.#tell("refused", messageOf(error), "These rows are passed over; the run and the other sinks go on.");
      }
    }
    await this.#save(withDelivered(this.#state, sending, points.length));
  }

  /** A place that cannot be written costs repeats after a kill, not the delivery. */
  async #save(state: SinkState): Promise<void> {
    this.#state = state;
    try {
      await this.#options.states.set(this.#options.sink.name, state);
    } catch (error) {
      this.#tell("state", `cannot note how far it is: ${messageOf(error)}`, hintOf(error));
    }
  }

  #attempt<Result>(work: () => Promise<Result>): Promise<Result> {
    return untilDone(work, {
      random: this.#options.random,
      isFinishing: () => this.#isFinishing,
      onOutage: (error) => this.#warn(`${messageOf(error)} It is tried again; the run goes on.`, error.hint),
      onRecovery: () => this.#options.notify({ level: "info", message: "delivers again." }),
      wait: (delayMs) => this.#wait(delayMs),
      signal: this.#hardStop.signal,
    });
  }

  #wait(delayMs: number): Promise<void> {
    if (this.#hardStop.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, delayMs);
      this.#wake = done;
    });
  }

  #giveUp(error: unknown): void {
    if (this.#hardStop.signal.aborted) return;
    this.#isOver = true;
    this.#warn(`${messageOf(error)} Nothing more is sent there; the run goes on.`, hintOf(error));
  }

  async #report(): Promise<void> {
    // One that never opened has said so.
    if (this.#isOver && !this.#isOpen) return;
    const missing: Record<SinkStream, number> = { updates: 0, evals: 0 };
    for (const feed of this.#options.feeds) {
      missing[feed.stream] = await feed.countFrom(this.#state.bytes[feed.stream]);
    }
    const parts = [
      ...counted(missing.updates, "update"),
      ...counted(missing.evals, "evaluation"),
      ...counted(this.#refused, "refused row"),
    ];
    if (parts.length === 0) return;
    const isWaiting = missing.updates + missing.evals > 0;
    this.#warn(
      `not delivered: ${parts.join(", ")}.`,
      isWaiting ? "They are in the run's folder and are sent when it is resumed." : undefined,
    );
  }

  /** Once for each kind; the report at the end counts the rest. */
  #tell(kind: "refused" | "state", message: string, hint?: string): void {
    if (this.#told.has(kind)) return;
    this.#told.add(kind);
    this.#warn(message, hint);
  }

  #warn(message: string, hint?: string): void {
    this.#options.notify({ level: "warning", message, ...(hint === undefined ? {} : { hint }) });
  }
}

function counted(count: number, what: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${what}${count === 1 ? "" : "s"}`];
}

/** As a sentence. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

function hintOf(error: unknown): string | undefined {
  return HoneError.is(error) ? error.hint : undefined;
}
