// How long a request waits for the index of rollouts. What is not indexed by then is in the next answer.
import type { RolloutIndex } from "./rollout-index.ts";

export interface IndexedOptions {
  /** So many of the newest are enough. */
  readonly enough?: number;
}

/** For files that are read for the first time, and for those that may have grown. */
const firstMs = 400;
const laterMs = 15;
const lookMs = 10;

export async function indexed(index: RolloutIndex, { enough = Infinity }: IndexedOptions = {}): Promise<void> {
  const reading = index.refresh();
  if (index.isComplete) return within(reading, laterMs);
  for (let waitedMs = 0; waitedMs < firstMs && !index.isComplete; waitedMs += lookMs) {
    if (enough < Infinity && index.newestFirst().length >= enough) return undefined;
    await within(reading, lookMs);
  }
  return undefined;
}

/** Whichever comes first. */
export async function within(work: Promise<void>, milliseconds: number): Promise<void> {
  await Promise.race([work, new Promise((resolve) => setTimeout(resolve, milliseconds).unref())]);
}
