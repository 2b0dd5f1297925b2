// The tokens of an answer. Synonyms are gone: \dfrac, \tfrac and \frac are one command, <=, \leq and \le one symbol.
import type { Rational } from "../rational.ts";

export type Token =
  | NumberToken
  | {
      readonly kind:
        | "letter"
        /** A LaTeX command or a word with a meaning, under its one name. */
        | "command"
        /** Brackets, operators, relations. */
        | "symbol"
        /** Words, from \text{...} or bare. */
        | "text"
        /** "and" or "or". */
        | "connective"
        /** N, Z, Q, R, C of \mathbb. */
        | "number-set"
        /** An environment begins or ends: its name. */
        | "begin"
        | "finish"
        | "end";
      readonly text: string;
      readonly isSpaced: boolean;
    };

export interface NumberToken {
  readonly kind: "number";
  readonly text: string;
  /** White space stands before it. */
  readonly isSpaced: boolean;
  readonly value: Rational;
  readonly isDecimal: boolean;
}

/** How text that can be read in two ways is read. */
export interface Reading {
  /** 1,234 is one number; otherwise two. */
  readonly groupsThousands: boolean;
  /** 2e-4 is 0.0002; otherwise 2e minus 4. */
  readonly isScientific: boolean;
  /** 1/2x is 1/(2x); otherwise (1/2)x. */
  readonly dividesByProducts: boolean;
}

export const firstReading: Reading = { groupsThousands: true, isScientific: true, dividesByProducts: true };
