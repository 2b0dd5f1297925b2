// Comparisons with one unknown as sets of real numbers: at once where the unknown stands alone, otherwise by the zeros of the difference.
import { difference, type MathNode, type RelationOperator } from "../ast.ts";
import { holds } from "../evaluate/condition.ts";
import { doubleEvaluator } from "../evaluate/evaluate.ts";
import type { Context } from "./context.ts";
import { infinitySign } from "./number.ts";
import { type Point, type RealSet, ray, single } from "./real-set.ts";
import { asFunction, zerosOf } from "./solve.ts";

export type NumberSet = RealSet<MathNode>;

/** Written positions are compared as numbers, found ones by closeness. */
export function samePoint({ same }: Context): (a: Point<MathNode>, b: Point<MathNode>) => boolean {
  return (a, b) => {
    const gap = Math.abs(a.position - b.position);
    if (!(gap <= 1e-6 * Math.max(1, Math.abs(a.position)))) return false;
    if (a.node === undefined || b.node === undefined) return gap <= 1e-7 * Math.max(1, Math.abs(a.position));
    return same(a.node, b.node);
  };
}

export function pointOf(node: MathNode, { work }: Context): Point<MathNode> | undefined {
  const sign = infinitySign(node);
  if (sign !== undefined) return { position: sign * Infinity, node };
  const value = doubleEvaluator(work).evaluate(node, new Map());
  if (value === undefined || !Number.isFinite(value.re) || Math.abs(value.im) > 1e-12 * Math.max(1, Math.abs(value.re)))
    return undefined;
  return { position: value.re, node };
}

const mirrored: Readonly<Record<string, RelationOperator>> = {
  "<": ">",
  ">": "<",
  "<=": ">=",
  ">=": "<=",
  "=": "=",
  "!=": "!=",
};

export function comparisonSet(
  left: MathNode,
  operator: RelationOperator,
  right: MathNode,
  variable: string,
  context: Context,
): NumberSet | undefined {
  const flipped = mirrored[operator];
  if (flipped === undefined) return undefined;
  if (left.kind === "symbol" && left.name === variable)
    return half(operator, pointOf(right, context)) ?? general(left, operator, right, variable, context);
  if (right.kind === "symbol" && right.name === variable)
    return half(flipped, pointOf(left, context)) ?? general(left, operator, right, variable, context);
  return general(left, operator, right, variable, context);
}

/** x < c and its relatives. */
function half(operator: RelationOperator, point: Point<MathNode> | undefined): NumberSet | undefined {
  if (point === undefined) return undefined;
  switch (operator) {
    case "<":
    case "<=":
      return ray(point, "below", operator === "<=");
    case ">":
    case ">=":
      return ray(point, "above", operator === ">=");
    case "=":
      return Number.isFinite(point.position) ? single(point) : undefined;
    case "!=":
      return { points: [point], on: [false], between: [true, true] };
    case "in":
    case "not-in":
    case "subset":
    case "to":
    case "implies":
      return undefined;
  }
}

/** Any comparison, by the zeros of the difference and its sign between them. */
function general(
  left: MathNode,
  operator: RelationOperator,
  right: MathNode,
  variable: string,
  { work }: Context,
): NumberSet | undefined {
  const node = difference(left, right);
  const zeros = zerosOf(node, variable, work);
  const f = asFunction(node, variable, work);
  const ends = [-Infinity, ...zeros.map(({ position }) => position), Infinity];
  const between = ends.slice(1).map((end, index) => holds(operator, amplified(f(middle(ends[index] ?? 0, end)))));
  return { points: zeros, on: zeros.map(({ isJump }) => !isJump && holds(operator, 0)), between };
}

/** Between zeros only the sign counts, however small the value. */
function amplified(value: number): number {
  return value === 0 || Number.isNaN(value) ? value : Math.sign(value);
}

function middle(low: number, high: number): number {
  if (low === -Infinity && high === Infinity) return 0.37;
  if (low === -Infinity) return high - 1 - Math.abs(high) / 3;
  if (high === Infinity) return low + 1 + Math.abs(low) / 3;
  return (low + high) / 2;
}
