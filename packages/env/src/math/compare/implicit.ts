// Equations in several unknowns that are no multiples of each other: y = 2/x and xy = 2. Fix all unknowns but one,
// solve for that one, compare the solutions; one unknown for which that works is enough.
import { type MathNode, numberNode, type RelationNode } from "../ast.ts";
import { traitsOf } from "../evaluate/traits.ts";
import { fraction, one } from "../rational.ts";
import { substitute } from "../tree.ts";
import type { Context } from "./context.ts";
import { noise } from "./samples.ts";
import { zerosOf } from "./solve.ts";

const mostNames = 4;
const rounds = 3;

export function sameImplicit(answer: RelationNode, gold: RelationNode, context: Context): boolean {
  const { names } = traitsOf([gold], context.work);
  const { names: others } = traitsOf([answer], context.work);
  if (names.size > mostNames || names.size !== others.size || [...names].some((name) => !others.has(name))) return false;
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
    const [a, b] = [solutions(answer, unknown, values), solutions(gold, unknown, values)];
    if (a === undefined || b === undefined || a.length === 0 || b.length === 0) return undefined;
    if (!covers(a, b) || !covers(b, a)) return false;
  }
  return true;

  function solutions(relation: RelationNode, variable: string, values: ReadonlyMap<string, MathNode>): number[] | undefined {
    const [left, right] = relation.items.map((item) => substitute(item, values));
    if (left === undefined || right === undefined) return undefined;
    const sides: MathNode = { kind: "sum", items: [left, { kind: "product", items: [numberNode({ numerator: -1n, denominator: 1n }), right] }] };
    return zerosOf(sides, variable, work)
      .filter(({ isJump }) => !isJump)
      .map(({ position }) => position);
  }
}

function covers(a: readonly number[], b: readonly number[]): boolean {
  return a.every((x) => b.some((y) => Math.abs(x - y) <= 1e-6 * Math.max(1, Math.abs(x))));
}
