// Sets of real numbers as points in ascending order with what lies on and between them: exact under union, intersection and difference,
// and equal exactly when they hold the same numbers.
import type { SetOperator } from "../ast.ts";

/** A point of the line. `node` is how it was written, for a comparison beyond doubles. */
export interface Point<Node> {
  readonly position: number;
  readonly node: Node | undefined;
}

export interface RealSet<Node> {
  readonly points: readonly Point<Node>[];
  /** Whether each point belongs to the set. */
  readonly on: readonly boolean[];
  /** Whether the gaps do: before the first point, between points, after the last. One more than points. */
  readonly between: readonly boolean[];
}

export type SamePoint<Node> = (a: Point<Node>, b: Point<Node>) => boolean;

export function wholeLine<Node>(isIn: boolean): RealSet<Node> {
  return { points: [], on: [], between: [isIn] };
}

export function single<Node>(point: Point<Node>): RealSet<Node> {
  return { points: [point], on: [true], between: [false, false] };
}

/** Everything on one side of a point. */
export function ray<Node>(point: Point<Node>, side: "below" | "above", isClosed: boolean): RealSet<Node> {
  if (!Number.isFinite(point.position)) return wholeLine(point.position > 0 === (side === "below"));
  return { points: [point], on: [isClosed], between: [side === "below", side === "above"] };
}

export function combineSets<Node>(
  operator: SetOperator,
  a: RealSet<Node>,
  b: RealSet<Node>,
  same: SamePoint<Node>,
): RealSet<Node> {
  const decide = (left: boolean, right: boolean): boolean =>
    operator === "union" ? left || right : operator === "intersection" ? left && right : left && !right;
  const points: Point<Node>[] = [];
  const on: boolean[] = [];
  const between: boolean[] = [decide(a.between[0] ?? false, b.between[0] ?? false)];
  let i = 0;
  let j = 0;
  while (i < a.points.length || j < b.points.length) {
    const p = a.points[i];
    const q = b.points[j];
    const areSame = p !== undefined && q !== undefined && same(p, q);
    const takesFirst = p !== undefined && (q === undefined || areSame || p.position < q.position);
    const takesSecond = q !== undefined && (areSame || !takesFirst);
    const next = takesFirst ? p : q;
    if (next === undefined) break;
    const inA = takesFirst ? (a.on[i] ?? false) : (a.between[i] ?? false);
    const inB = takesSecond ? (b.on[j] ?? false) : (b.between[j] ?? false);
    if (takesFirst) i++;
    if (takesSecond) j++;
    points.push(next);
    on.push(decide(inA, inB));
    between.push(decide(a.between[i] ?? false, b.between[j] ?? false));
  }
  return simplified({ points, on, between });
}

/** Without the points that change nothing. */
export function simplified<Node>(set: RealSet<Node>): RealSet<Node> {
  const points: Point<Node>[] = [];
  const on: boolean[] = [];
  const between: boolean[] = [set.between[0] ?? false];
  set.points.forEach((point, index) => {
    const before = between.at(-1) ?? false;
    const after = set.between[index + 1] ?? false;
    const isOn = set.on[index] ?? false;
    if (isOn === before && isOn === after) return;
    points.push(point);
    on.push(isOn);
    between.push(after);
  });
  return { points, on, between };
}

export function areEqualSets<Node>(a: RealSet<Node>, b: RealSet<Node>, same: SamePoint<Node>): boolean {
  const x = simplified(a);
  const y = simplified(b);
  return (
    x.points.length === y.points.length &&
    x.on.every((isOn, index) => isOn === y.on[index]) &&
    x.between.every((isIn, index) => isIn === y.between[index]) &&
    x.points.every((point, index) => {
      const other = y.points[index];
      return other !== undefined && same(point, other);
    })
  );
}

export function isEmptySet<Node>(set: RealSet<Node>): boolean {
  return !set.on.includes(true) && !set.between.includes(true);
}
