// Equations and inequalities. Equal sides, sides swapped, one a multiple of the other, or the same solutions.
import { difference, type MathNode, type RelationNode, type RelationOperator } from "../ast.ts";
import type { Work } from "../bounds.ts";
import { doubleEvaluator } from "../evaluate/evaluate.ts";
import { exactValue } from "../evaluate/exact.ts";
import { fieldValue } from "../evaluate/field.ts";
import { type Traits, traitsOf } from "../evaluate/traits.ts";
import * as rational from "../rational.ts";
import type { Context } from "./context.ts";
import { sameImplicit } from "./implicit.ts";
import { realSetOf, sameRealSet } from "./interval.ts";
import { distance, isFiniteValue, size } from "./number.ts";
import { isEmptySet } from "./real-set.ts";
import { fieldPoint, samplePoint } from "./samples.ts";

const swapped: ReadonlyMap<RelationOperator, RelationOperator> = new Map([
  ["<", ">"],
  [">", "<"],
  ["<=", ">="],
  [">=", "<="],
  ["=", "="],
  ["!=", "!="],
]);

export function sameRelation(answer: RelationNode, gold: RelationNode, context: Context): boolean {
  if (haveSameSides(answer, gold, context)) return true;
  const { traits, isPlain } = plainTraits(answer, gold, context.work);
  if (!isPlain) return false;
  if (answer.operators.length === 1 && gold.operators.length === 1) {
    const verdict = sameByRatio(answer, gold, traits, context);
    if (verdict !== undefined) return verdict;
  } else if (sameStepByStep(answer, gold, context)) return true;
  const areEquations =
    answer.operators[0] === "=" && gold.operators[0] === "=" && answer.operators.length === gold.operators.length;
  if (traits.names.size > 1) return areEquations && sameImplicit(answer, gold, context);
  const solutions = areEquations ? realSetOf(gold, context) : undefined;
  // Without real solutions there is nothing to compare: x^2 = -1 is not x^2 = -4.
  if (areEquations && (solutions === undefined || isEmptySet(solutions))) return false;
  return sameRealSet(answer, gold, context) ?? false;
}

/** In the same order, or all of it turned round. */
function haveSameSides(answer: RelationNode, gold: RelationNode, { same }: Context): boolean {
  const count = gold.operators.length;
  if (answer.operators.length !== count) return false;
  const isForward = gold.operators.every((operator, index) => operator === answer.operators[index]);
  if (isForward && gold.items.every((item, index) => same(answer.items[index] ?? item, item))) return true;
  const isBackward = gold.operators.every(
    (operator, index) => operator === swapped.get(answer.operators[count - 1 - index] ?? "in"),
  );
  return isBackward && gold.items.every((item, index) => same(answer.items[count - index] ?? item, item));
}

/** Only expressions on all sides: something to subtract. */
function plainTraits(answer: RelationNode, gold: RelationNode, work: Work): { traits: Traits; isPlain: boolean } {
  const traits = traitsOf([...answer.items, ...gold.items], work);
  const areComparisons = [...answer.operators, ...gold.operators].every((operator) => swapped.has(operator));
  return { traits, isPlain: areComparisons && !traits.hasNoValue };
}

/** 1 < x < 2 against 2 < 2x < 4. */
function sameStepByStep(answer: RelationNode, gold: RelationNode, context: Context): boolean {
  if (answer.operators.length !== gold.operators.length) return false;
  return gold.operators.every((operator, index) => {
    const step = (node: RelationNode): RelationNode => ({
      kind: "relation",
      operators: [node.operators[index] ?? operator],
      items: node.items.slice(index, index + 2),
    });
    return sameRelation(step(answer), step(gold), context);
  });
}

/** One difference of sides as a multiple of the other; undefined when it is none. */
function sameByRatio(answer: RelationNode, gold: RelationNode, traits: Traits, { work }: Context): boolean | undefined {
  const [a, b] = [sidesDifference(answer), sidesDifference(gold)];
  const [answerOperator, goldOperator] = [answer.operators[0], gold.operators[0]];
  if (a === undefined || b === undefined || answerOperator === undefined || goldOperator === undefined)
    return undefined;
  const sign = ratioSign(a, b, traits, work);
  if (sign === undefined) return undefined;
  if (goldOperator === "=" || goldOperator === "!=") return answerOperator === goldOperator;
  if (sign === 0) return undefined;
  return answerOperator === (sign > 0 ? goldOperator : swapped.get(goldOperator));
}

function sidesDifference({ items }: RelationNode): MathNode | undefined {
  const [left, right] = items;
  return left && right && difference(left, right);
}

/** The sign of the constant k with a = k b, 0 when k is not real; undefined when there is no such k. */
function ratioSign(a: MathNode, b: MathNode, traits: Traits, work: Work): number | undefined {
  if (traits.names.size === 0) return undefined;
  const isConstant = traits.wholeNames.size === 0 ? ratioInField(a, b, traits, work) : undefined;
  if (isConstant === false) return undefined;
  const exact = isConstant === true ? exactRatioSign(a, b, traits, work) : undefined;
  return exact ?? sampledRatioSign(a, b, traits, work, isConstant === true ? 1 : 4);
}

/** undefined when the differences are not rational. */
function ratioInField(a: MathNode, b: MathNode, { names }: Traits, work: Work): boolean | undefined {
  let known: readonly [bigint, bigint] | undefined;
  let agreed = 0;
  for (let index = 0; index < 6 && agreed < 2; index++) {
    const point = fieldPoint(names, index + 20);
    const x = fieldValue(a, point, work);
    const y = x === undefined ? undefined : fieldValue(b, point, work);
    if (x === undefined || y === undefined) {
      if (index > 1 && known === undefined) return undefined;
      continue;
    }
    if ((x === 0n) !== (y === 0n)) return false;
    if (x === 0n) continue;
    if (known !== undefined && !isSameQuotient(known, [x, y])) return false;
    if (known !== undefined) agreed++;
    known ??= [x, y];
  }
  return agreed >= 2 ? true : undefined;
}

const prime = 18446744073709551557n;
function isSameQuotient([a, b]: readonly [bigint, bigint], [c, d]: readonly [bigint, bigint]): boolean {
  return (a * d - b * c) % prime === 0n;
}

function exactRatioSign(a: MathNode, b: MathNode, { names }: Traits, work: Work): number | undefined {
  for (const start of [3n, 7n, 19n]) {
    const point = new Map(
      [...names].map((name, index) => [name, rational.integer(start + 5n * BigInt(index * index + index))]),
    );
    const x = exactValue(a, work, point);
    const y = x === undefined ? undefined : exactValue(b, work, point);
    if (x === undefined || y === undefined) return undefined;
    if (x.numerator !== 0n && y.numerator !== 0n) return x.numerator > 0n === y.numerator > 0n ? 1 : -1;
  }
  return undefined;
}

function sampledRatioSign(a: MathNode, b: MathNode, traits: Traits, work: Work, wanted: number): number | undefined {
  const doubles = doubleEvaluator(work);
  const { functions } = doubles;
  const ratios = [];
  for (let index = 0; index < 12 && ratios.length < wanted; index++) {
    const values = new Map([...samplePoint(traits, index)].map(([name, value]) => [name, functions.real(value)]));
    const x = doubles.evaluate(a, values);
    const y = doubles.evaluate(b, values);
    if (x === undefined || y === undefined || !isFiniteValue(x) || !isFiniteValue(y)) continue;
    if (size(x) < 1e-12 && size(y) < 1e-12) continue;
    if (size(x) < 1e-12 || size(y) < 1e-12) return undefined;
    ratios.push(functions.divide(x, y));
  }
  const [first] = ratios;
  if (first === undefined || ratios.length < wanted) return undefined;
  if (ratios.some((ratio) => distance(ratio, first) > 1e-8 * size(first))) return undefined;
  return Math.abs(first.im) < 1e-9 * size(first) ? Math.sign(first.re) : 0;
}

/** y and f(x) are two names for the value of a function. */
export function areFunctionNames(a: MathNode, b: MathNode): boolean {
  const isFunction = (node: MathNode): boolean => node.kind === "apply" && /^[fgh]$/.test(node.name);
  const isY = (node: MathNode): boolean => node.kind === "symbol" && node.name === "y";
  return (isFunction(a) && isY(b)) || (isY(a) && isFunction(b));
}
