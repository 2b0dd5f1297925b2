// Whether a condition holds at a point: relations and their combinations, with numbers for both sides.
import type { MathNode, RelationOperator } from "../ast.ts";

export function conditionHolds(node: MathNode, valueOf: (node: MathNode) => number): boolean {
  if (node.kind === "relation") {
    return node.operators.every((operator, index) => {
      const [left, right] = [node.items[index], node.items[index + 1]];
      return left !== undefined && right !== undefined && holds(operator, valueOf(left) - valueOf(right));
    });
  }
  if (node.kind === "logic" && node.operator === "or") return node.items.some((item) => conditionHolds(item, valueOf));
  return (node.kind === "logic" || node.kind === "list") && node.items.every((item) => conditionHolds(item, valueOf));
}

const tolerance = 1e-9;

/** Of the difference of both sides. */
export function holds(operator: RelationOperator, difference: number): boolean {
  const isZero = Math.abs(difference) <= tolerance;
  switch (operator) {
    case "=":
      return isZero;
    case "!=":
      return !isZero && !Number.isNaN(difference);
    case "<":
      return difference < 0 && !isZero;
    case "<=":
      return difference < 0 || isZero;
    case ">":
      return difference > 0 && !isZero;
    case ">=":
      return difference > 0 || isZero;
    case "in":
    case "not-in":
    case "subset":
    case "to":
    case "implies":
      return false;
  }
}
