// Numbers without names: exact where they are fractions, then modulo a prime where those are too long,
// then doubles, confirmed to 48 digits. A decimal point on either side asks for rounding instead.
import type { MathNode } from "../ast.ts";
import type { Work } from "../bounds.ts";
import type { Complex } from "../evaluate/complex.ts";
import { doubleEvaluator, fixedEvaluator } from "../evaluate/evaluate.ts";
import { exactValue } from "../evaluate/exact.ts";
import { fieldValue } from "../evaluate/field.ts";
import { isSameFixed } from "../evaluate/fixed-point.ts";
import type { Traits } from "../evaluate/traits.ts";
import * as rational from "../rational.ts";
import type { Rational } from "../rational.ts";
import type { Context } from "./context.ts";

const nothing = new Map<string, never>();

export function sameNumber(answer: MathNode, gold: MathNode, traits: Traits, { options, work }: Context): boolean {
  const a = exactValue(answer, work);
  const b = exactValue(gold, work);
  const { precision } = options;
  if (a !== undefined && b !== undefined)
    return rational.equals(a, b) || (traits.hasDecimal && areRoundedAlike(a, b, precision, work));
  if (!traits.hasDecimal) {
    const verdict = sameInField(answer, gold, work);
    if (verdict !== undefined) return verdict;
  }
  const doubles = doubleEvaluator(work);
  const x = doubles.evaluate(answer, nothing);
  const y = doubles.evaluate(gold, nothing);
  if (x === undefined || y === undefined || !isFiniteValue(x) || !isFiniteValue(y))
    return x !== undefined && y !== undefined && samePrecisely(answer, gold, work) === true;
  if (traits.hasDecimal) return areRoundedAlikeDoubles(x, y, precision);
  if (traits.isApproximate) return distance(x, y) <= 1e-8 * Math.max(1, size(x), size(y));
  if (distance(x, y) > 1e-9 * Math.max(size(x), size(y), 1e-3)) return false;
  return samePrecisely(answer, gold, work) ?? distance(x, y) <= 1e-11 * Math.max(size(x), size(y));
}

function sameInField(answer: MathNode, gold: MathNode, work: Work): boolean | undefined {
  const a = fieldValue(answer, nothing, work);
  const b = a === undefined ? undefined : fieldValue(gold, nothing, work);
  return a === undefined || b === undefined ? undefined : a === b;
}

/** undefined when fixed point cannot tell: too large, or no value. */
export function samePrecisely(
  answer: MathNode,
  gold: MathNode,
  work: Work,
  point: ReadonlyMap<string, number> = nothing,
): boolean | undefined {
  const fixed = fixedEvaluator(work);
  const values = new Map(
    [...point].map(([name, value]) => [name, fixed.functions.real(fixed.functions.reals.fromNumber(value))]),
  );
  const x = fixed.evaluate(answer, values);
  const y = x === undefined ? undefined : fixed.evaluate(gold, values);
  return x === undefined || y === undefined ? undefined : isSameFixed(x.re, y.re) && isSameFixed(x.im, y.im);
}

/** Rounded to the same decimals. Where rounding leaves next to nothing of a number, it also has to be right to one per cent. */
function areRoundedAlike(a: Rational, b: Rational, precision: number, work: Work): boolean {
  work.spend((rational.bitsOf(a) + rational.bitsOf(b)) >> 8);
  if (rational.roundedUnits(a, precision) !== rational.roundedUnits(b, precision)) return false;
  return isNearlyEqual(rational.toNumber(a), rational.toNumber(b), precision);
}

function areRoundedAlikeDoubles(x: Complex<number>, y: Complex<number>, precision: number): boolean {
  const scale = 10 ** precision;
  const parts = [
    [x.re, y.re],
    [x.im, y.im],
  ] as const;
  return (
    parts.every(([p, q]) => Math.round(p * scale) === Math.round(q * scale)) &&
    isNearlyEqual(size(x), size(y), precision)
  );
}

function isNearlyEqual(x: number, y: number, precision: number): boolean {
  const larger = Math.max(Math.abs(x), Math.abs(y));
  return larger >= 10 ** (3 - precision) || Math.abs(x - y) <= 0.01 * larger;
}

export function isFiniteValue(value: Complex<number>): boolean {
  return Number.isFinite(value.re) && Number.isFinite(value.im);
}

export function size(value: Complex<number>): number {
  return Math.hypot(value.re, value.im);
}

export function distance(a: Complex<number>, b: Complex<number>): number {
  return Math.hypot(a.re - b.re, a.im - b.im);
}

/** Infinity, with its sign; undefined for anything else. */
export function infinitySign(node: MathNode): 1 | -1 | undefined {
  if (node.kind === "constant") return node.name === "infinity" ? 1 : undefined;
  if (node.kind !== "product") return undefined;
  const infinite = node.items.filter((item) => infinitySign(item) !== undefined);
  const others = node.items.filter((item) => infinitySign(item) === undefined);
  if (infinite.length !== 1 || !others.every((item) => item.kind === "number")) return undefined;
  const negatives = others.filter((item) => item.kind === "number" && item.value.numerator < 0n);
  return negatives.length % 2 === 0 ? 1 : -1;
}
