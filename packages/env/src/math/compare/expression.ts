// Expressions with or without names. Rational ones are decided exactly, modulo a prime; others by their values at sample points:
// they have to agree wherever both are real. What doubles cannot tell apart is confirmed in fixed point.
import type { MathNode } from "../ast.ts";
import { doubleEvaluator } from "../evaluate/evaluate.ts";
import { exactValue } from "../evaluate/exact.ts";
import { fieldValue } from "../evaluate/field.ts";
import { type Traits, traitsOf } from "../evaluate/traits.ts";
import * as rational from "../rational.ts";
import { childrenOf } from "../tree.ts";
import type { Context } from "./context.ts";
import { distance, infinitySign, isFiniteValue, sameNumber, samePrecisely, size } from "./number.ts";
import { fieldPoint, samplePoint } from "./samples.ts";

const mostNames = 40;

export function sameExpression(answer: MathNode, gold: MathNode, context: Context): boolean {
  const { options, work } = context;
  const infinite = [infinitySign(answer), infinitySign(gold)];
  if (infinite.some((sign) => sign !== undefined)) return infinite[0] === infinite[1];
  if (options.percent === "lenient" && (answer.kind === "percent") !== (gold.kind === "percent")) {
    const bare = (node: MathNode): MathNode => (node.kind === "percent" ? node.value : node);
    if (sameExpression(bare(answer), bare(gold), context)) return true;
  }
  const traits = traitsOf([answer, gold], work);
  if (traits.hasNoValue || traits.names.size > mostNames) return false;
  return traits.names.size === 0
    ? sameNumber(answer, gold, traits, context)
    : sameFunction(answer, gold, traits, context);
}

function sameFunction(answer: MathNode, gold: MathNode, traits: Traits, context: Context): boolean {
  const exact =
    traits.wholeNames.size === 0
      ? sameInField(answer, gold, traits, context)
      : sameAtWholes(answer, gold, traits, context);
  return exact ?? sameAtSamples(answer, gold, traits, context);
}

/** undefined when the expressions are not rational. */
function sameInField(answer: MathNode, gold: MathNode, { names }: Traits, { work }: Context): boolean | undefined {
  let agreed = 0;
  for (let index = 0; index < 5 && agreed < 2; index++) {
    const point = fieldPoint(names, index);
    const a = fieldValue(answer, point, work);
    const b = a === undefined ? undefined : fieldValue(gold, point, work);
    if (a === undefined || b === undefined) {
      if (agreed === 0 && index > 0) return undefined;
      continue;
    }
    if (a !== b) return false;
    agreed++;
  }
  return agreed >= 2 ? true : undefined;
}

/** n!, binomials, sums up to n: exact values at whole numbers. */
function sameAtWholes(answer: MathNode, gold: MathNode, traits: Traits, { work }: Context): boolean | undefined {
  for (let index = 0; index < 8; index++) {
    const point = new Map(
      [...samplePoint(traits, index)].map(([name, value]) => [
        name,
        rational.fraction(BigInt(value * 4096), 4096n) ?? rational.zero,
      ]),
    );
    const a = exactValue(answer, work, point);
    const b = a === undefined ? undefined : exactValue(gold, work, point);
    if (a === undefined || b === undefined) return undefined;
    if (!rational.equals(a, b)) return false;
  }
  return true;
}

interface Tally {
  real: number;
  complex: number;
}

function sameAtSamples(answer: MathNode, gold: MathNode, traits: Traits, context: Context): boolean {
  const tally: Tally = { real: 0, complex: 0 };
  const confirmed: ReadonlyMap<string, number>[] = [];
  for (const point of points(answer, gold, traits)) {
    const verdict = sameAt(answer, gold, point, traits, context);
    if (verdict === "different") return false;
    if (verdict === "none") continue;
    tally[verdict]++;
    if (confirmed.length < 2) confirmed.push(point);
  }
  if (tally.real + tally.complex < 3) return false;
  return traits.isApproximate || confirmed.every((point) => samePrecisely(answer, gold, context.work, point) ?? true);
}

/** The samples, and the borders of cases. */
function points(answer: MathNode, gold: MathNode, traits: Traits): Map<string, number>[] {
  const count = traits.wholeNames.size > 0 ? 24 : 16;
  const samples = Array.from({ length: count }, (_, index) => samplePoint(traits, index));
  for (const border of [...borders(answer), ...borders(gold)].slice(0, 8))
    samples.push(new Map([...samplePoint(traits, samples.length)].map(([name]) => [name, border])));
  return samples;
}

function borders(node: MathNode): number[] {
  if (node.kind !== "piecewise") return [];
  return node.branches.flatMap(({ condition }) =>
    condition === undefined
      ? []
      : childrenOf(condition).flatMap((side) => (side.kind === "number" ? [rational.toNumber(side.value)] : [])),
  );
}

/** A function by cases has no value outside them. */
function isByCases(...nodes: readonly MathNode[]): boolean {
  return nodes.some(({ kind }) => kind === "piecewise");
}

/** Agreement at one point: of real values, of complex ones, none to speak of, or not at all. */
function sameAt(
  answer: MathNode,
  gold: MathNode,
  point: ReadonlyMap<string, number>,
  traits: Traits,
  { work }: Context,
): keyof Tally | "none" | "different" {
  const doubles = doubleEvaluator(work);
  const values = new Map([...point].map(([name, value]) => [name, { re: value, im: 0 }]));
  const x = doubles.evaluate(answer, values);
  const y = doubles.evaluate(gold, values);
  if (x === undefined || y === undefined)
    return (x === undefined) !== (y === undefined) && isByCases(answer, gold) ? "different" : "none";
  if (!isFiniteValue(x) || !isFiniteValue(y)) return "none";
  const larger = Math.max(size(x), size(y));
  const gap = distance(x, y);
  const isTiny = larger < 1e-120 && larger > 0;
  if (isTiny) return "none";
  const areReal = [x, y].every(({ re, im }) => Math.abs(im) <= 1e-9 * Math.max(1, Math.abs(re)));
  const tolerance = traits.isApproximate ? 1e-7 : 1e-9;
  const isClose = gap <= tolerance * Math.max(larger, 1e-3);
  if (isClose) return areReal || traits.hasImaginary ? "real" : "complex";
  if (!areReal && !traits.hasImaginary) return "none";
  const isDoubtful = gap <= 1e-5 * Math.max(larger, 1e-3) && samePrecisely(answer, gold, work, point) === true;
  return isDoubtful ? "real" : "different";
}
