// How many rollouts run at once. The limit follows the engine: it grows while the engine has room and shrinks when requests queue there.
// Whoever waits is served in order.
import type { EnginePressure } from "@hone/core";
import { onAbort } from "@hone/env";

export class Limiter {
  #limit: number;
  #running = 0;
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

  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
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

/** The next limit: what the engine can hold, and a little more so that it never waits for us; less once its queue is longer than that. */
export function limitFor(pressure: EnginePressure, current: number): number {
  const room = Math.ceil(pressure.capacity * 1.25);
  if (pressure.queued > pressure.capacity / 2) return Math.max(1, Math.floor(current * 0.8));
  return current < room ? Math.min(room, current + Math.max(1, Math.ceil(current / 4))) : current;
}
