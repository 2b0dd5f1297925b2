// Sums, differences and products digit by digit, the last digit first, with what is carried: each step is one of a few hundred facts, so that
// problems which were never shown come out right too.
import { refuse } from "../spoil.ts";
import type { Skill } from "./skill.ts";

export interface Problem {
  readonly a: number;
  readonly operation: "+" | "-" | "*";
  readonly b: number;
}

/** `7+5=12 3+4+1=8` for 37 + 45: every step with its operands, carry included, so that nothing must be kept in mind. */
export function working({ a, operation, b }: Problem): string {
  const digits = String(operation === "*" ? a : Math.max(a, b)).length;
  const steps: string[] = [];
  let carry = 0;
  for (let place = 0; place < digits; place++) {
    const [one, two] = [digitAt(a, place), operation === "*" ? b : digitAt(b, place)];
    const extra = place === 0 ? "" : `${operation === "-" ? "-" : "+"}${carry}`;
    if (operation === "-") {
      const from = one < two + carry ? one + 10 : one;
      steps.push(`${from}-${two}${extra}=${from - two - carry}`);
      carry = from > one ? 1 : 0;
    } else {
      const result = (operation === "+" ? one + two : one * two) + carry;
      steps.push(`${one}${operation}${two}${extra}=${result}`);
      carry = Math.floor(result / 10);
    }
  }
  return steps.join(" ");
}

function digitAt(value: number, place: number): number {
  return Math.floor(value / 10 ** place) % 10;
}

function answerTo({ a, operation, b }: Problem): number {
  return operation === "+" ? a + b : operation === "-" ? a - b : a * b;
}

const boxed = (value: number): string => `\\boxed{${value}}`;

export const arithmetic: Skill<Problem> = {
  name: "arithmetic",
  args: {},
  maxTokens: 48,
  kinds: {
    clean: ({ task }) => `${working(task)} ${boxed(answerTo(task))}`,
    /** The working of another problem. */
    another: ({ other }) => `${working(other)} ${boxed(answerTo(other))}`,
    /** No working, and a number that happens to come to mind. */
    guess: ({ task, random }) => boxed(random.integer(Math.max(10, 2 * answerTo(task)))),
    unboxed: ({ task }) => `${working(task)} ${answerTo(task)}`,
    refusal: ({ random }) => refuse(random),
  },
};
