// The plus-minus sign: an answer with it stands for all its values. Several signs in one expression change together,
// or each by itself: writers mean either.
import { type MathNode, negated } from "../ast.ts";
import { childrenOf, mapChildren } from "../tree.ts";

export type SignChoice = "together" | "apart";

export function countSigns(node: MathNode): number {
  let count = node.kind === "plus-minus" ? 1 : 0;
  for (const child of childrenOf(node)) count += countSigns(child);
  return count;
}

/** The node with lists in place of whatever has the sign. */
export function expandSigns(node: MathNode, choice: SignChoice): MathNode {
  if (countSigns(node) === 0) return node;
  if (node.kind === "list" || node.kind === "set")
    return { ...node, items: node.items.flatMap((item) => alternatives(item, choice)) };
  if (node.kind !== "relation") return { kind: "list", items: alternatives(node, choice) };
  const last = node.items.at(-1);
  if (last === undefined || countSigns(node) !== countSigns(last)) return node;
  return { ...node, items: [...node.items.slice(0, -1), expandSigns(last, choice)] };
}

const mostSigns = 4;

function alternatives(node: MathNode, choice: SignChoice): MathNode[] {
  const count = countSigns(node);
  if (count === 0 || count > mostSigns) return [node];
  if (node.kind === "relation") {
    const last = node.items.at(-1);
    if (last === undefined || countSigns(last) !== count) return [node];
    return alternatives(last, choice).map((value) => ({ ...node, items: [...node.items.slice(0, -1), value] }));
  }
  const masks = choice === "together" ? [0, 2 ** count - 1] : Array.from({ length: 2 ** count }, (_, mask) => mask);
  return masks.map((mask) => choose(node, mask));
}

/** Bit k of the mask: the k-th sign is turned. */
function choose(node: MathNode, mask: number): MathNode {
  let seen = 0;
  const visit = (part: MathNode): MathNode => {
    if (part.kind !== "plus-minus") return mapChildren(part, visit);
    const isTurned = ((mask >> seen++) & 1) === 1;
    const value = visit(part.value);
    return isTurned === (part.sign === 1) ? negated(value) : value;
  };
  return visit(node);
}
