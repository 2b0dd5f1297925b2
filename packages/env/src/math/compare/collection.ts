// Lists, sets and tuples. Sets and lists match in any order, tuples in theirs; what is written x = 1, y = 2 may be given as 1, 2 or (1, 2).
import type { MathNode, TupleNode } from "../ast.ts";
import { keyOf } from "../key.ts";
import { unnamed } from "../names.ts";
import { asMatrix } from "../parse/environment.ts";
import type { Context } from "./context.ts";
import { sameFamilies } from "./family.ts";
import { sameRealSet } from "./interval.ts";
import { sameMatrix } from "./matrix.ts";

const collections: ReadonlySet<MathNode["kind"]> = new Set([
  "tuple",
  "set",
  "list",
  "set-operation",
  "number-set",
  "set-builder",
]);

export function isCollection(node: MathNode): boolean {
  return collections.has(node.kind);
}

export function sameCollection(answer: MathNode, gold: MathNode, context: Context): boolean {
  if (answer.kind === "tuple" && gold.kind === "tuple") return sameTuple(answer, gold, context);
  const a = itemsOf(answer);
  const b = itemsOf(gold);
  if (a !== undefined && b !== undefined) {
    if (sameItems(answer, a, gold, b, context) || (sameFamilies(a, b, context) ?? false)) return true;
    return sameAsSets(answer, gold, context);
  }
  if (a !== undefined && gold.kind === "tuple") return sameListAndTuple(answer, a, gold, context, context.same);
  if (b !== undefined && answer.kind === "tuple")
    return sameListAndTuple(gold, b, answer, context, (x, y) => context.same(y, x));
  if (a !== undefined && !isCollection(gold)) return areAll(a, (item) => context.same(item, gold));
  if (b !== undefined && !isCollection(answer)) return areAll(b, (item) => context.same(answer, item));
  return sameAsSets(answer, gold, context);
}

/** The elements of a list or set, lists inside them taken apart. */
function itemsOf(node: MathNode): readonly MathNode[] | undefined {
  if (node.kind !== "list" && node.kind !== "set") return undefined;
  return node.items.some(({ kind }) => kind === "list")
    ? node.items.flatMap((item) => (item.kind === "list" ? item.items : [item]))
    : node.items;
}

/** 3/4 or 0.75 is one value. */
function areAll(items: readonly MathNode[], test: (item: MathNode) => boolean): boolean {
  return items.length > 0 && items.every((item) => test(unnamed(item)));
}

function sameItems(
  answer: MathNode,
  a: readonly MathNode[],
  gold: MathNode,
  b: readonly MathNode[],
  context: Context,
): boolean {
  const isOrdered = context.options.ordered && answer.kind === "list" && gold.kind === "list";
  const match = isOrdered ? sameInOrder : sameInAnyOrder;
  if (match(a, b, context)) return true;
  const named = (items: readonly MathNode[]): boolean => items.every((item) => unnamed(item) !== item);
  if (named(a) !== named(b) && match(a.map(unnamed), b.map(unnamed), context)) return true;
  const bare = (node: MathNode): MathNode =>
    node.kind === "tuple" ? { ...node, items: node.items.map(unnamed) } : node;
  const hasTuples = [...a, ...b].some((item) => item.kind === "tuple" && bare(item) !== item);
  return hasTuples && match(a.map(bare), b.map(bare), context);
}

function sameInOrder(a: readonly MathNode[], b: readonly MathNode[], { same }: Context): boolean {
  return a.length === b.length && a.every((item, index) => same(item, b[index] ?? item));
}

/** Elements that are written alike are paired first; the few others are tried against each other. Repetitions count once. */
function sameInAnyOrder(a: readonly MathNode[], b: readonly MathNode[], context: Context): boolean {
  const byKey = (items: readonly MathNode[]): Map<string, MathNode> =>
    new Map(items.map((item) => [keyOf(item, context.work), item]));
  const first = byKey(a);
  const second = byKey(b);
  const restA = [...first].filter(([key]) => !second.has(key)).map(([, item]) => item);
  const restB = [...second].filter(([key]) => !first.has(key)).map(([, item]) => item);
  const isIn = (item: MathNode, others: Iterable<MathNode>, order: "answer" | "gold"): boolean => {
    for (const other of others) {
      context.work.spend();
      if (order === "answer" ? context.same(item, other) : context.same(other, item)) return true;
    }
    return false;
  };
  if (first.size === second.size && restA.length === restB.length) {
    const left = [...restB];
    return restA.every((item) => {
      const at = left.findIndex((other) => isIn(item, [other], "answer"));
      if (at !== -1) left.splice(at, 1);
      return at !== -1;
    });
  }
  return (
    restA.every((item) => isIn(item, second.values(), "answer")) &&
    restB.every((item) => isIn(item, first.values(), "gold"))
  );
}

/** As points or as intervals: the brackets count for two elements only. */
function sameTuple(answer: TupleNode, gold: TupleNode, context: Context): boolean {
  if (answer.items.length !== gold.items.length) return false;
  const areRows = asMatrix(answer) !== undefined && asMatrix(gold) !== undefined;
  if (areRows) return sameMatrix(answer, gold, context);
  if (!sameInOrder(answer.items.map(unnamed), gold.items.map(unnamed), context)) return false;
  const sameBrackets = answer.open === gold.open && answer.close === gold.close;
  return sameBrackets || gold.items.length !== 2 || (sameRealSet(answer, gold, context) ?? false);
}

/** 1, 2 for (1, 2); a set of two in braces for an open interval or pair. */
function sameListAndTuple(
  list: MathNode,
  items: readonly MathNode[],
  tuple: TupleNode,
  context: Context,
  same: (a: MathNode, b: MathNode) => boolean,
): boolean {
  const [only] = items;
  if (items.length === 1 && only !== undefined) return same(only, tuple);
  const isRound = tuple.open === "(" && tuple.close === ")";
  const canBePoint = isRound || (tuple.open === "[" && tuple.close === "]" && items.length > 2);
  if (
    canBePoint &&
    items.length === tuple.items.length &&
    items.every((item, index) => same(unnamed(item), unnamed(tuple.items[index] ?? item)))
  )
    return true;
  return sameAsSets(list, tuple, context);
}

/** As sets of real numbers, when one of them cannot be anything else. */
function sameAsSets(answer: MathNode, gold: MathNode, context: Context): boolean {
  if (!isRealSet(answer, context) && !isRealSet(gold, context)) return false;
  return sameRealSet(answer, gold, context) ?? false;
}

/** A union, an interval with a closed or infinite end: not a point, not a list of points. */
function isRealSet(node: MathNode, context: Context): boolean {
  const isInfinite = (item: MathNode): boolean => keyOf(item, context.work).includes("#infinity");
  if (node.kind === "tuple")
    return node.items.length === 2 && (node.open === "[" || node.close === "]" || node.items.some(isInfinite));
  if (node.kind === "set" || node.kind === "list") return node.items.some((item) => isRealSet(item, context));
  if (node.kind === "relation") return !node.operators.includes("=");
  return isCollection(node) || node.kind === "logic";
}
