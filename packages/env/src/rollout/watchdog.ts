// Names the environment that blocked the event loop. Synchronous stretches are measured at the call; a block that starts after an await is
// noticed by a late timer and attributed to the calls that were open then.
import type { Watchdog } from "@hone/core";

export interface Blocked {
  /** Exactly one environment when it is certain. */
  readonly envs: readonly string[];
  /** "reward correct", "tool search", "respond". */
  readonly where: readonly string[];
  readonly durationMs: number;
}

export interface WatchdogOptions {
  readonly thresholdMs?: number;
  readonly now?: () => number;
  readonly report: (blocked: Blocked) => void;
}

interface Open {
  readonly env: string;
  readonly where: string;
}

export class EventLoopWatchdog implements Watchdog, Disposable {
  readonly #thresholdMs: number;
  readonly #now: () => number;
  readonly #report: (blocked: Blocked) => void;
  readonly #open = new Set<Open>();
  readonly #timer: NodeJS.Timeout;
  #expectedAtMs: number;

  constructor({ thresholdMs = 200, now = () => performance.now(), report }: WatchdogOptions) {
    this.#thresholdMs = thresholdMs;
    this.#now = now;
    this.#report = report;
    const intervalMs = 50;
    this.#expectedAtMs = now() + intervalMs;
    this.#timer = setInterval(() => {
      const lateMs = this.#now() - this.#expectedAtMs;
      this.#expectedAtMs = this.#now() + intervalMs;
      if (lateMs > this.#thresholdMs && this.#open.size > 0) this.#blame([...this.#open], lateMs);
    }, intervalMs);
    this.#timer.unref();
  }

  call<T>(env: string, where: string, work: () => T): T {
    const startedAtMs = this.#now();
    const result = work();
    const durationMs = this.#now() - startedAtMs;
    if (durationMs > this.#thresholdMs) {
      this.#blame([{ env, where }], durationMs);
      this.#expectedAtMs = Number.POSITIVE_INFINITY; // this block is accounted for: the next late tick is not news
    }
    if (result instanceof Promise) {
      const open = { env, where };
      this.#open.add(open);
      const close = (): boolean => this.#open.delete(open);
      result.then(close, close);
    }
    return result;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #blame(suspects: readonly Open[], durationMs: number): void {
    const envs = [...new Set(suspects.map(({ env }) => env))];
    const where = [...new Set(suspects.map((suspect) => suspect.where))];
    this.#report({ envs, where, durationMs });
  }
}
