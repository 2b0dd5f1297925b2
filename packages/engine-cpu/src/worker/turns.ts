// Who runs when, in the engine's one thread: a slice of training, then sampling for about as long as that slice took, then messages.
// Both get on, cancels arrive, and a published policy is taken up between two tokens. Nothing runs when there is nothing to do.

export interface TurnParts {
  /** One slice of training; whether there is more to do right away. */
  readonly train: () => boolean;
  /** One step of sampling or scoring; whether there is more to do right away. */
  readonly sample: () => boolean;
  /** At the end of each turn: what was found out is told. */
  readonly finish: () => void;
  /** Milliseconds. */
  readonly now: () => number;
  /** Runs it after the messages that have arrived. */
  readonly later: (turn: () => void) => void;
}

/** Sampling steps of small models are shorter than letting messages in: so long at least. */
const leastSamplingMs = 1;

export class Turns {
  readonly #parts: TurnParts;
  #isDue = false;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  wake(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#parts.later(() => this.#turn());
  }

  #turn(): void {
    this.#isDue = false;
    const { train, sample, finish, now } = this.#parts;
    const start = now();
    const hasTraining = train();
    const middle = now();
    const end = middle + Math.max(middle - start, leastSamplingMs);
    let hasSampling = sample();
    while (hasSampling && now() < end) hasSampling = sample();
    finish();
    if (hasTraining || hasSampling) this.wake();
  }
}
