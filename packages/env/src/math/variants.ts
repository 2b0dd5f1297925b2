// Other ways to read the letters and functions of two trees: without regard to case, and with log for the logarithm of base ten.
import { integerNode, type MathNode } from "./ast.ts";
import { childrenOf, mapChildren, some } from "./tree.ts";

/** Both trees in lower case, 3R^2 for 3r^2; undefined when that changes nothing or joins what an answer keeps apart. */
export function foldedPair(answer: MathNode, gold: MathNode): readonly [MathNode, MathNode] | undefined {
  const [a, b] = [namesIn(answer), namesIn(gold)];
  const areSame = a.size === b.size && [...a].every((name) => b.has(name));
  if (areSame || joins(a) || joins(b)) return undefined;
  return [folded(answer), folded(gold)];
}

function namesIn(node: MathNode, names: Set<string> = new Set()): Set<string> {
  if (node.kind === "symbol" || node.kind === "apply" || node.kind === "constant") names.add(node.name);
  for (const child of childrenOf(node)) namesIn(child, names);
  return names;
}

function joins(names: ReadonlySet<string>): boolean {
  return new Set([...names].map((name) => name.toLowerCase())).size < names.size;
}

function folded(node: MathNode): MathNode {
  const inner = mapChildren(node, folded);
  if (inner.kind === "symbol" && (inner.name === "I" || inner.name === "E"))
    return { kind: "constant", name: inner.name === "I" ? "i" : "e" };
  return inner.kind === "symbol" || inner.kind === "apply" ? { ...inner, name: inner.name.toLowerCase() } : inner;
}

/** Bare logarithms as those of base ten. */
export function withCommonLogarithms(node: MathNode): MathNode {
  const inner = mapChildren(node, withCommonLogarithms);
  if (inner.kind !== "call" || inner.name !== "log") return inner;
  return { ...inner, name: "log-base", items: [...inner.items, integerNode(10)] };
}

export function hasCommonLogarithm(node: MathNode): boolean {
  return some(node, (part) => part.kind === "call" && part.name === "log");
}
