// What is meant behind how it is written: "no solution" is the empty set, x = 3 is 3, x \in S is S, 2 m is a letter where m is one.
import { type MathNode, product, type RelationNode, symbol } from "../ast.ts";
import { keyOf } from "../key.ts";
import { isName } from "../names.ts";
import { mapChildren, some } from "../tree.ts";
import { isCollection } from "./collection.ts";
import type { Context } from "./context.ts";
import { areFunctionNames } from "./relation.ts";
import { phraseMeaning, wordsOf } from "./text.ts";

/** "no solution" as the empty set; a single condition of a system as that condition. */
export function meaning(node: MathNode): MathNode {
  if (node.kind === "text" || node.kind === "product") {
    const words = wordsOf(node);
    return (words === undefined ? undefined : phraseMeaning(words)) ?? node;
  }
  const [only] = node.kind === "list" ? node.items : [];
  return node.kind === "list" && node.items.length === 1 && only !== undefined ? only : node;
}

/** A set or tuple without the words after it: [0, 5] seconds. */
export function unlabelled(node: MathNode): MathNode {
  const rest = node.kind === "product" ? node.items.filter(({ kind }) => kind !== "text") : [];
  const [only] = rest;
  return node.kind === "product" && rest.length === 1 && only !== undefined && isCollection(only) ? only : node;
}

/** The m of "2 m" was taken for metres; where the other side has a letter m, it is that. */
export function withLetters(answer: MathNode, gold: MathNode): readonly [MathNode, MathNode] {
  const [unitsA, unitsB] = [unitLetters(answer), unitLetters(gold)];
  if (unitsA === undefined && unitsB === undefined) return [answer, gold];
  const restore = (node: MathNode, letter: string | undefined, other: MathNode): MathNode =>
    letter !== undefined && some(other, (part) => part.kind === "symbol" && part.name === letter)
      ? lettered(node)
      : node;
  return [restore(answer, unitsA, gold), restore(gold, unitsB, answer)];
}

function unitLetters(node: MathNode): string | undefined {
  if (node.kind !== "product") return undefined;
  const last = node.items.findLast(
    (item) => item.kind === "text" || (item.kind === "power" && item.base.kind === "text"),
  );
  const text = last?.kind === "power" ? last.base : last;
  return text?.kind === "text" && text.text.length === 1 ? text.text : undefined;
}

function lettered(node: MathNode): MathNode {
  return node.kind === "text" && node.text.length === 1
    ? { kind: "symbol", name: node.text }
    : mapChildren(node, lettered);
}

/** \textbf{(C)} 5: a choice with its value. */
export function choiceOf(node: MathNode): { readonly letter: MathNode; readonly value: MathNode } | undefined {
  const [first, ...rest] = node.kind === "product" ? node.items : [];
  const letter = first?.kind === "text" ? /^\(([A-J])\)[.:]?$/.exec(first.text)?.[1] : undefined;
  return letter === undefined || rest.length === 0 ? undefined : { letter: symbol(letter), value: product(rest) };
}

export function isCondition(node: MathNode): boolean {
  return node.kind === "relation" || node.kind === "logic";
}

/** x = 3 is 3 when the other side is no equation; a = b = c is its last part; x \in S is S. */
export function unwrapped(answer: MathNode, gold: MathNode, context: Context): readonly [MathNode, MathNode] {
  const a = derived(member(answer));
  const b = derived(member(gold));
  if (isEquation(a) && !isCondition(b))
    return [isAssignment(a) || isCalculation(a) || isIdentity(a, context) ? lastOf(a) : a, b];
  if (isEquation(b) && !isCondition(a)) return [a, isAssignment(b) || isIdentity(b, context) ? lastOf(b) : b];
  if (isEquation(a) && isEquation(b) && isAssignment(a) && isAssignment(b)) {
    const [x, y] = [shortened(a), shortened(b)];
    const [left, right] = [x.items[0], y.items[0]];
    const sameName =
      left !== undefined &&
      right !== undefined &&
      (areFunctionNames(left, right) || keyOf(left, context.work) === keyOf(right, context.work));
    return sameName ? [lastOf(x), lastOf(y)] : [x, y];
  }
  return [a, b];
}

function member(node: MathNode): MathNode {
  if (node.kind !== "relation" || node.operators.length !== 1 || node.operators[0] !== "in") return node;
  const [name, set] = node.items;
  return name !== undefined && set !== undefined && (isName(name) || isCollection(set)) ? set : node;
}

/** 2x = 4 => x = 2 is its conclusion. */
function derived(node: MathNode): MathNode {
  const last = node.kind === "relation" && node.operators.includes("implies") ? node.items.at(-1) : undefined;
  return last !== undefined && node.kind === "relation" && node.operators.some((operator) => operator === "=")
    ? conclusion(node)
    : node;
}

function conclusion(node: RelationNode): MathNode {
  const at = node.operators.lastIndexOf("implies");
  const items = node.items.slice(at + 1);
  const [only] = items;
  return items.length === 1 && only !== undefined
    ? only
    : { kind: "relation", operators: node.operators.slice(at + 1), items };
}

function isEquation(node: MathNode): node is RelationNode {
  return node.kind === "relation" && node.operators.every((operator) => operator === "=");
}

function isAssignment(node: RelationNode): boolean {
  const [name] = node.items;
  return name !== undefined && isName(name);
}

/** 2 + 3 = 5, m + n = 29, and chains: what counts is at the end. */
function isCalculation({ items }: RelationNode): boolean {
  const [left] = items;
  if (left === undefined || items.length > 2) return items.length > 2;
  const isSumOfNames = left.kind === "sum" && left.items.every(isName);
  return isSumOfNames || !some(left, ({ kind }) => kind === "symbol" || kind === "apply" || kind === "text");
}

/** (x + 1)^2 = x^2 + 2x + 1 is one expression, worked out. */
function isIdentity({ items }: RelationNode, { same }: Context): boolean {
  const [left, right] = items;
  return items.length === 2 && left !== undefined && right !== undefined && same(left, right);
}

function lastOf(node: RelationNode): MathNode {
  return node.items.at(-1) ?? node;
}

function shortened(node: RelationNode): RelationNode {
  const [name] = node.items;
  return name === undefined || node.items.length === 2
    ? node
    : { kind: "relation", operators: ["="], items: [name, lastOf(node)] };
}
