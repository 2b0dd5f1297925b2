// The bounds of a comparison. They count characters, tokens, nesting, bits and units of work, never time,
// so that the same two answers give the same verdict on every machine. Reaching one means: not equal.

export const limits = {
  /** Of one answer. */
  characters: 50_000,
  /** Of one answer. */
  tokens: 20_000,
  /** Brackets, groups and scripts inside each other. */
  depth: 150,
  /** Postfix marks and set operations on one operand: x!!!, A \cup B \cap C. */
  chain: 40,
  /** Of a whole number that is worked out. */
  integerBits: 120_000,
  /** Of numerator and denominator of a fraction that is worked out: their common divisor costs the square. */
  fractionBits: 10_000,
  /** Of one comparison. A unit is about a node visited, half a microsecond. */
  work: 60_000,
} as const;

/** Thrown inside the module only; `mathEqual` answers false. */
export class OutOfBounds extends Error {
  constructor(bound: string) {
    super(`The answer is beyond what is compared: ${bound}.`);
  }
}

/** undefined when `compute` reached a bound. */
export function withinBounds<T>(compute: () => T): T | undefined {
  try {
    return compute();
  } catch (error) {
    if (error instanceof OutOfBounds) return undefined;
    throw error;
  }
}

/** Counts what a comparison has cost so far. */
export class Work {
  #spent = 0;
  readonly #limit: number;

  constructor(limit: number = limits.work) {
    this.#limit = limit;
  }

  get spent(): number {
    return this.#spent;
  }

  spend(units = 1): void {
    this.#spent += units;
    if (this.#spent > this.#limit) throw new OutOfBounds("work");
  }
}
