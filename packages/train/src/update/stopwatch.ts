// Where the time of a step goes, by the words of the flow. Parts do not overlap: what runs beside them (rollouts during an update) is not counted twice.

export type TimedPart = "rollout" | "sample" | "update" | "eval";

export class Stopwatch {
  readonly #now: () => number;
  readonly #seconds = new Map<TimedPart, number>();
  #sinceMs: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#sinceMs = now();
  }

  async time<T>(part: TimedPart, work: () => Promise<T>): Promise<T> {
    const startedMs = this.#now();
    try {
      return await work();
    } finally {
      this.#seconds.set(part, (this.#seconds.get(part) ?? 0) + (this.#now() - startedMs) / 1000);
    }
  }

  /** Since the last lap: seconds of each part, and of all. Evaluations count in the step after the policy they measured. */
  lap(): Record<string, number> {
    const nowMs = this.#now();
    const parts = ["rollout", "sample", "update", "eval"] as const;
    const row: Record<string, number> = { "step/seconds": (nowMs - this.#sinceMs) / 1000 };
    for (const part of parts) row[`${part}/seconds`] = this.#seconds.get(part) ?? 0;
    this.#seconds.clear();
    this.#sinceMs = nowMs;
    return row;
  }
}
