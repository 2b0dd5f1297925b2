// Equations and inequalities, alone or joined by "and" and "or", against each other and against sets.
import { type MathNode, relation } from "../ast.ts";
import { isCollection } from "./collection.ts";
import type { Context } from "./context.ts";
import { sameRealSet } from "./interval.ts";
import { sameRelation } from "./relation.ts";
import { isCondition } from "./unwrap.ts";

export function sameConditions(writtenAnswer: MathNode, writtenGold: MathNode, context: Context): boolean {
  const [answer, gold] = [spread(writtenAnswer), spread(writtenGold)];
  if (answer.kind === "relation" && gold.kind === "relation") return sameRelation(answer, gold, context);
  if (isCondition(answer) && isCondition(gold)) return sameLogic(answer, gold, context);
  const isAllowed = isCondition(gold) || context.options.relationForSet;
  const [condition, set] = isCondition(gold) ? [gold, answer] : [answer, gold];
  if (!isAllowed || !isCollection(set)) return false;
  return sameRealSet(answer, gold, context) ?? sameSymbolicInterval(condition, set, context);
}

/** x = 1, 2 as x = 1 or x = 2. */
function spread(node: MathNode): MathNode {
  const [name, list] =
    node.kind === "relation" && node.operators.length === 1 && node.operators[0] === "=" ? node.items : [];
  if (name === undefined || list?.kind !== "list") return node;
  return { kind: "logic", operator: "or", items: list.items.map((item) => relation(name, "=", item)) };
}

function sameLogic(answer: MathNode, gold: MathNode, context: Context): boolean {
  if (
    answer.kind === "logic" &&
    gold.kind === "logic" &&
    answer.operator === gold.operator &&
    answer.items.length === gold.items.length
  ) {
    const matches = gold.items.every((item) => answer.items.some((other) => context.same(other, item)));
    if (matches) return true;
  }
  return sameRealSet(answer, gold, context) ?? false;
}

/** a < x <= b against (a, b], with letters for the ends. */
function sameSymbolicInterval(condition: MathNode, set: MathNode, context: Context): boolean {
  if (condition.kind !== "relation" || set.kind !== "tuple" || condition.operators.length !== 2) return false;
  const isRising = condition.operators.every((operator) => operator === "<" || operator === "<=");
  const isFalling = condition.operators.every((operator) => operator === ">" || operator === ">=");
  const [low, high] = isRising ? [condition.items[0], condition.items[2]] : [condition.items[2], condition.items[0]];
  const [first, second] = isRising ? condition.operators : [condition.operators[1], condition.operators[0]];
  const [from, to] = set.items;
  if ((!isRising && !isFalling) || !low || !high || !from || !to || set.items.length !== 2) return false;
  const sameEnds = first?.endsWith("=") === (set.open === "[") && second?.endsWith("=") === (set.close === "]");
  return sameEnds && context.same(from, low) && context.same(to, high);
}
