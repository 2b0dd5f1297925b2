// Random draws for the generator of pairs.
import type { Random } from "@hone/core";

/** From low to high, both included. */
export function whole(random: Random, low: number, high: number): number {
  return low + random.integer(high - low + 1);
}

/** Not zero, from -high to high. */
export function nonzero(random: Random, high: number): number {
  return whole(random, 1, high) * (chance(random) ? 1 : -1);
}

export function chance(random: Random, probability = 0.5): boolean {
  return random.next() < probability;
}

/** `count` different whole numbers, in ascending order. */
export function distinct(random: Random, count: number, low: number, high: number): number[] {
  const found = new Set<number>();
  while (found.size < count) found.add(whole(random, low, high));
  return [...found].sort((a, b) => a - b);
}

function gcd(a: number, b: number): number {
  return b === 0 ? Math.abs(a) : gcd(b, a % b);
}

/** A fraction in lowest terms with a positive denominator. */
export interface Fraction {
  readonly above: number;
  readonly below: number;
}

export function fractionOf(above: number, below: number): Fraction {
  const divisor = gcd(above, below) * Math.sign(below);
  return { above: above / divisor, below: below / divisor };
}

/** One of the ways to write a fraction. */
export function writeFraction(random: Random, { above, below }: Fraction): string {
  if (below === 1) return `${above}`;
  const factor = whole(random, 1, 6);
  const size = Math.abs(above);
  const sign = above < 0 ? "-" : "";
  const digits = below < 10 && size < 10 ? [`${sign}\\frac${size}${below}`] : [];
  const mixed = size > below ? [`${sign}${Math.floor(size / below)}\\frac{${size % below}}{${below}}`] : [];
  return random.pick([
    `${sign}\\frac{${size}}{${below}}`,
    `\\frac{${above}}{${below}}`,
    `${above}/${below}`,
    `${sign}\\tfrac{${size * factor}}{${below * factor}}`,
    `${sign}{${size} \\over ${below}}`,
    ...digits,
    ...mixed,
  ]);
}

/** a x + b as it is written: signs joined, factors of one left out. */
export function writeSum(terms: readonly (readonly [coefficient: number, name: string])[]): string {
  const parts = terms
    .filter(([coefficient]) => coefficient !== 0)
    .map(([coefficient, name]) => {
      const size = Math.abs(coefficient);
      const factor = size === 1 && name !== "" ? "" : `${size}`;
      return `${coefficient < 0 ? "-" : "+"} ${factor}${name}`;
    });
  return parts.length === 0 ? "0" : parts.join(" ").replace(/^\+ /, "").replace(/^- /, "-");
}
