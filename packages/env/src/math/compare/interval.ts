// Intervals, unions, sets of numbers, inequalities and set-builders as sets of real numbers.
// undefined: not a set of real numbers, or one with more than one unknown.
import { integerNode, type MathNode, type RelationNode, symbol, type TupleNode } from "../ast.ts";
import { traitsOf } from "../evaluate/traits.ts";
import { keyOf } from "../key.ts";
import { mapChildren, some } from "../tree.ts";
import type { Context } from "./context.ts";
import { comparisonSet, type NumberSet, pointOf, samePoint } from "./inequality.ts";
import { areEqualSets, combineSets, isEmptySet, ray, single, wholeLine } from "./real-set.ts";

/** Whether both are sets of the same real numbers; undefined when one is no such set. */
export function sameRealSet(answer: MathNode, gold: MathNode, context: Context): boolean | undefined {
  const unknowns = new Set([...unknownsOf(answer, context), ...unknownsOf(gold, context)]);
  if (unknowns.size > 1) return undefined;
  const a = realSetOf(answer, context);
  const b = a === undefined ? undefined : realSetOf(gold, context);
  return a === undefined || b === undefined ? undefined : areEqualSets(a, b, samePoint(context));
}

/** The names that conditions are about. A set-builder keeps its own to itself. */
function unknownsOf(node: MathNode, { work }: Context): ReadonlySet<string> {
  return node.kind === "set-builder" ? new Set() : traitsOf([node], work).names;
}

export function realSetOf(node: MathNode, context: Context): NumberSet | undefined {
  context.work.spend();
  switch (node.kind) {
    case "number-set":
      return node.name === "reals" ? wholeLine(true) : node.name === "empty" ? wholeLine(false) : undefined;
    case "tuple":
      return intervalOf(node, context);
    case "set":
      return combined(node.items, "union", context);
    case "list":
      return node.items.every(isInequality)
        ? listedConditions(node.items, context)
        : combined(node.items, "union", context);
    case "set-operation":
      return combined(node.items, node.operator, context);
    case "logic":
      return combined(node.items, node.operator === "or" ? "union" : "intersection", context);
    case "relation":
      return relationSet(node, context);
    case "set-builder":
      return builtSet(node.element, node.conditions, context);
    case "number":
    case "constant":
    case "symbol":
    case "text":
    case "sum":
    case "product":
    case "power":
    case "percent":
    case "degrees":
    case "call":
    case "apply":
    case "series":
    case "integral":
    case "limit":
    case "derivative":
    case "piecewise":
    case "matrix":
    case "plus-minus":
    case "ratio": {
      const point = pointOf(node, context);
      return point && Number.isFinite(point.position) ? single(point) : undefined;
    }
  }
}

function combined(
  items: readonly MathNode[],
  operator: "union" | "intersection" | "minus",
  context: Context,
): NumberSet | undefined {
  let result: NumberSet | undefined;
  for (const item of items) {
    const set = realSetOf(item, context);
    if (set === undefined) return undefined;
    context.work.spend(1 + (result?.points.length ?? 0));
    result = result === undefined ? set : combineSets(operator, result, set, samePoint(context));
  }
  return result;
}

function intervalOf({ items, open, close }: TupleNode, context: Context): NumberSet | undefined {
  const [low, high] = items;
  const from = low && pointOf(low, context);
  const to = high && pointOf(high, context);
  if (from === undefined || to === undefined || items.length !== 2) return undefined;
  const above = ray(from, "above", open === "[");
  const below = ray(to, "below", close === "]");
  return combineSets("intersection", above, below, samePoint(context));
}

function isInequality(node: MathNode): boolean {
  return node.kind === "relation" && node.operators.some((operator) => operator !== "=" && operator !== "in");
}

/** A list of inequalities: both hold, if that is possible; otherwise one or the other. */
function listedConditions(items: readonly MathNode[], context: Context): NumberSet | undefined {
  const both = combined(items, "intersection", context);
  return both !== undefined && isEmptySet(both) ? combined(items, "union", context) : both;
}

function relationSet(node: RelationNode, context: Context): NumberSet | undefined {
  const [first] = node.operators;
  const [, set] = node.items;
  if (node.operators.length === 1 && set !== undefined) {
    if (first === "in") return realSetOf(set, context);
    if (first === "not-in") {
      const outside = realSetOf(set, context);
      return outside && combineSets("minus", wholeLine<MathNode>(true), outside, samePoint(context));
    }
  }
  const prepared = withUnknown(node, context);
  if (prepared === undefined) return undefined;
  let result: NumberSet = wholeLine(true);
  for (const [index, operator] of node.operators.entries()) {
    const [left, right] = [prepared.sides[index], prepared.sides[index + 1]];
    const set = left && right && comparisonSet(left, operator, right, prepared.variable, context);
    if (set === undefined) return undefined;
    result = combineSets("intersection", result, set, samePoint(context));
  }
  return result;
}

/** The sides with their one unknown as a letter: x, or the f(x) or a_n that they are about. */
function withUnknown(
  node: RelationNode,
  { work }: Context,
): { sides: readonly MathNode[]; variable: string } | undefined {
  const replace = (part: MathNode): MathNode =>
    part.kind === "apply" ? symbol(`\u0001${keyOf(part, work)}`) : mapChildren(part, replace);
  const hasUnknownFunction = some(node, ({ kind }) => kind === "apply");
  const sides = hasUnknownFunction ? node.items.map(replace) : node.items;
  const { names, hasNoValue } = traitsOf(sides, work);
  const [variable] = names;
  return variable !== undefined && names.size === 1 && !hasNoValue ? { sides, variable } : undefined;
}

/** { x | x > 3 } and { x \in S | ... }; of whole numbers only when there are few. */
function builtSet(element: MathNode, conditions: readonly MathNode[], context: Context): NumberSet | undefined {
  const domain = element.kind === "relation" && element.operators[0] === "in" ? element : undefined;
  const variable = domain === undefined ? element : domain.items[0];
  if (variable?.kind !== "symbol") return undefined;
  const all = domain === undefined ? conditions : [domain, ...conditions];
  const whole = all.find((item) => wholeDomain(item) !== undefined);
  if (whole === undefined) return combined(all, "intersection", context);
  const bounds = combined(
    all.filter((item) => item !== whole),
    "intersection",
    context,
  );
  return bounds && wholeNumbersIn(bounds, wholeDomain(whole) === "naturals" ? 1 : -Infinity, context);
}

function wholeDomain(node: MathNode): "integers" | "naturals" | undefined {
  const set = node.kind === "relation" && node.operators[0] === "in" ? node.items[1] : undefined;
  return set?.kind === "number-set" && (set.name === "integers" || set.name === "naturals") ? set.name : undefined;
}

const mostWholes = 200;

function wholeNumbersIn(set: NumberSet, least: number, context: Context): NumberSet | undefined {
  const [first, last] = [set.points[0]?.position, set.points.at(-1)?.position];
  if (first === undefined || last === undefined || set.between[0] === true || set.between.at(-1) === true)
    return undefined;
  const from = Math.ceil(Math.max(first, least) - 1e-9);
  if (last - from > mostWholes) return undefined;
  const wholes: MathNode[] = [];
  for (let value = from; value <= last + 1e-9; value++) {
    const point = single<MathNode>({ position: value, node: integerNode(value) });
    if (!isEmptySet(combineSets("intersection", set, point, samePoint(context)))) wholes.push(integerNode(value));
  }
  return wholes.length === 0 ? wholeLine(false) : combined(wholes, "union", context);
}
