// Equations in several unknowns that are no multiples of each other: y = 2/x and xy = 2. Fix all unknowns but one,
// solve for that one, compare the solutions; one unknown for which that works is enough.
import { difference, type MathNode, numberNode, type RelationNode } from "../ast.ts";
import { traitsOf } from "../evaluate/traits.ts";
import { fraction, one } from "../rational.ts";
import { substitute } from "../tree.ts";
import type { Context } from "./context.ts";
import { noise } from "./samples.ts";
import { asFunction, zerosOf } from "./solve.ts";

const mostNames = 4;
const rounds = 3;

export function sameImplicit(answer: RelationNode, gold: RelationNode, context: Context): boolean {
  const { names } = traitsOf([gold], context.work);
  const { names: others } = traitsOf([answer], context.work);
  if (names.size > mostNames || names.size !== others.size || [...names].some((name) => !others.has(name)))
    return false;
  for (const unknown of names) {
    const verdict = sameSolutions(answer, gold, unknown, [...names], context);
    if (verdict !== undefined) return verdict;
  }
  return false;
}

/** undefined when there is nothing to compare: no solutions in this unknown. */
function sameSolutions(
  answer: RelationNode,
  gold: RelationNode,
  unknown: string,
  names: readonly string[],
  { work }: Context,
): boolean | undefined {
  for (let round = 0; round < rounds; round++) {
    const values = new Map<string, MathNode>();
    names.forEach((name, index) => {
      const thousandths = BigInt(Math.round((0.6 + 2.3 * noise(round * 19 + index * 7 + 1)) * 1000));
      if (name !== unknown) values.set(name, numberNode(fraction(thousandths, 1000n) ?? one));
    });
    const b = solutions(gold, unknown, values);
    if (b === undefined || b.length === 0) return undefined;
    if (!b.every((x) => holdsAt(answer, unknown, values, x))) return false;
    const a = solutions(answer, unknown, values);
    if (a === undefined || a.length === 0) return undefined;
    if (!covers(a, b) || !covers(b, a)) return false;
  }
  return true;

  /** Cheaper than solving: whether a solution of the one solves the other. */
  function holdsAt(
    relation: RelationNode,
    variable: string,
    values: ReadonlyMap<string, MathNode>,
    x: number,
  ): boolean {
    const [left, right] = relation.items.map((item) => substitute(item, values));
    if (left === undefined || right === undefined) return false;
    const f = asFunction(difference(left, right), variable, work);
    return Math.abs(f(x)) <= 1e-9 + 1e-4 * Math.abs(f(x + 0.1));
  }

  function solutions(
    relation: RelationNode,
    variable: string,
    values: ReadonlyMap<string, MathNode>,
  ): number[] | undefined {
    const [left, right] = relation.items.map((item) => substitute(item, values));
    if (left === undefined || right === undefined) return undefined;
    return zerosOf(difference(left, right), variable, work)
      .filter(({ isJump }) => !isJump)
      .map(({ position }) => position);
  }
}

function covers(a: readonly number[], b: readonly number[]): boolean {
  return a.every((x) => b.some((y) => Math.abs(x - y) <= 1e-6 * Math.max(1, Math.abs(x))));
}
