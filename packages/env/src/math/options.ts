// What a user can choose about equality. The defaults follow the common graders of mathematical answers.

export interface MathOptions {
  /** "strict" (default): 28% is 0.28. "lenient": it is also taken for 28. */
  readonly percent?: "strict" | "lenient";
  /** When one side is written with a decimal point, both are rounded to so many decimals. Default 6. */
  readonly precision?: number;
  /** Lists without brackets keep their order: 1, 2 differs from 2, 1. Tuples always do, sets never. Default false. */
  readonly ordered?: boolean;
  /** Words and letters are compared without regard to case, unless an answer uses both cases of a letter. Default true. */
  readonly foldCase?: boolean;
  /** Whether the answer x > 3 is taken for a gold (3, \infty). A gold x > 3 always takes the answer (3, \infty). Default false. */
  readonly relationForSet?: boolean;
}

export type ResolvedMathOptions = Required<MathOptions>;

export function resolveMathOptions(options: MathOptions = {}): ResolvedMathOptions {
  const { percent = "strict", precision = 6, ordered = false, foldCase = true, relationForSet = false } = options;
  if (!Number.isInteger(precision) || precision < 0 || precision > 50)
    throw new RangeError(`precision is ${precision}; it counts decimals, from 0 to 50.`);
  return { percent, precision, ordered, foldCase, relationForSet };
}
