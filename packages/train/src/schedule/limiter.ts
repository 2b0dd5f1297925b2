// How many rollouts run at once. The limit follows the engine: it grows while the engine has room and shrinks when requests queue there.
// Whoever waits is served in order.
import type { EnginePressure } from "@hone/core";
import { onAbort } from "@hone/env";

export class Limiter {
  #limit: number;
  #running = 0;
  /** Whether somebody had to wait since the limit was last adapted: without that there is no need of more. */
  #wasFull = false;
  readonly #waiting = new Set<() => void>();

  constructor(limit: number) {
    this.#limit = Math.max(1, limit);
  }

  get limit(): number {
    return this.#limit;
  }

  set limit(limit: number) {
    this.#limit = Math.max(1, Math.floor(limit));
    this.#admit();
  }

  /** Follows the engine's load. */
  adapt(pressure: EnginePressure): void {
    const next = limitFor(pressure, this.#limit);
    if (next < this.#limit || this.#wasFull) this.limit = next;
    this.#wasFull = this.#waiting.size > 0;
  }

  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    if (this.#running >= this.#limit) await this.#turn(signal);
    else this.#running++;
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      this.#running--;
      this.#admit();
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    this.#wasFull = true;
    return new Promise((resolve) => {
      const admit = (): void => {
        stop();
        this.#waiting.delete(admit);
        this.#running++;
        resolve();
      };
      this.#waiting.add(admit);
      const stop = onAbort(signal, admit); // it sees the signal as soon as it runs, and gives its place back
    });
  }

  #admit(): void {
    for (const admit of this.#waiting) {
      if (this.#running >= this.#limit) return;
      admit();
    }
  }
}

/**
 * The next limit: what the engine can hold and a little more, so that it never waits for us; beyond that while it has room all the same, because
 * rollouts are with their tools; less once its queue is longer than half of what it holds.
 */
export function limitFor({ running, queued, capacity }: EnginePressure, current: number): number {
  if (queued > capacity / 2) return Math.max(1, Math.floor(current * 0.8));
  const more = current + Math.max(1, Math.ceil(current / 4));
  if (queued === 0 && running < 0.9 * capacity) return more;
  return Math.max(current, Math.min(more, Math.ceil(capacity * 1.25)));
}
