// Pairs of answers whose equality is known because of how they were made: a value is drawn, written in two ways (equal), or changed and
// written (not equal). Seeded: the same seed gives the same pairs.
import { createRandom, type Random } from "@hone/core";
import { algebraMakers } from "./pairs-algebra.ts";
import { collectionMakers } from "./pairs-collections.ts";
import { numberMakers } from "./pairs-numbers.ts";

export interface Pair {
  readonly answer: string;
  readonly gold: string;
  readonly isEqual: boolean;
  readonly kind: string;
}

/** A value written twice, and another value written once. */
export interface Written {
  readonly gold: string;
  readonly equal: string;
  readonly unequal: string;
}
export type Maker = (random: Random) => Written;

const makers: readonly (readonly [string, Maker])[] = Object.entries({
  ...numberMakers,
  ...algebraMakers,
  ...collectionMakers,
});

/** `count` pairs, half of them equal, each kind in turn. */
export function* drawPairs(seed: number, count: number): Generator<Pair> {
  const random = createRandom(seed);
  for (let index = 0; index < count; index += 2) {
    const [kind, make] = makers[(index / 2) % makers.length] ?? fail();
    const { gold, equal, unequal } = make(random);
    yield { answer: decorate(random, equal), gold, isEqual: true, kind };
    yield { answer: decorate(random, unequal), gold, isEqual: false, kind };
  }
}

function fail(): never {
  throw new Error("There is no maker.");
}

function sized(text: string): string {
  return text.replaceAll(/(?<!\\)([([])/g, "\\left$1").replaceAll(/(?<!\\)([)\]])/g, "\\right$1");
}

/** What changes nothing about an answer. */
function decorate(random: Random, answer: string): string {
  const ways: readonly ((text: string) => string)[] = [
    (text) => text,
    (text) => `$${text}$`,
    (text) => `\\(${text}\\)`,
    (text) => `\\boxed{${text}}`,
    (text) => ` ${text} `,
    (text) => `${text}.`,
    (text) => text.replaceAll("\\frac", "\\dfrac"),
    (text) => (/\\text|\\sqrt\[|\.\(/.test(text) ? text : sized(text)),
    (text) => `\\displaystyle ${text}`,
  ];
  return random.pick(ways)(answer);
}
