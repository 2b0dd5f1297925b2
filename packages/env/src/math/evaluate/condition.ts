// Whether a condition holds at a point: relations and their combinations, with numbers for both sides.
import type { MathNode, RelationOperator } from "../ast.ts";

export function conditionHolds(node: MathNode, valueOf: (node: MathNode) => number): boolean {
  switch (node.kind) {
    case "relation":
      return node.operators.every((operator, index) => {
        const [left, right] = [node.items[index], node.items[index + 1]];
        return left !== undefined && right !== undefined && holds(operator, valueOf(left) - valueOf(right));
      });
    case "logic":
      return node.operator === "or"
        ? node.items.some((item) => conditionHolds(item, valueOf))
        : node.items.every((item) => conditionHolds(item, valueOf));
    case "list":
      return node.items.every((item) => conditionHolds(item, valueOf));
    default:
      return false;
  }
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
    default:
      return false;
  }
}
