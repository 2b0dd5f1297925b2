// Which nodes only name something: the left side of x = 3, f(x) = ..., a + b = ... is a name, 2x is not.
import type { MathNode } from "./ast.ts";

/** A letter, a word, f(x), a_1, |z|, (x, y), x : y, AB. */
export function isName(node: MathNode): boolean {
  switch (node.kind) {
    case "symbol":
    case "text":
      return true;
    case "constant":
      return node.name === "e" || node.name === "i";
    case "apply":
      return node.items.every(
        (item) => isName(item) || item.kind === "number" || item.kind === "relation" || isShifted(item),
      );
    case "call":
      return (
        (node.name === "abs" || node.name === "max" || node.name === "min" || node.name === "det") &&
        node.items.every(isName)
      );
    case "product":
    case "ratio":
      return node.items.every(isName) || isNamedQuotient(node.items);
    case "tuple":
      return node.items.every(isName);
    default:
      return false;
  }
}

/** The n + 1 of a_{n+1}. */
function isShifted(node: MathNode): boolean {
  return (
    (node.kind === "sum" || node.kind === "product") &&
    node.items.every((item) => isName(item) || item.kind === "number")
  );
}

/** a/b, dy/dx, f^{-1}(x). */
function isNamedQuotient(items: readonly MathNode[]): boolean {
  return items.every((item) => isName(item) || (item.kind === "power" && isInverse(item) && isName(item.base)));
}

function isInverse(node: MathNode & { kind: "power" }): boolean {
  return (
    node.exponent.kind === "number" && node.exponent.value.numerator === -1n && node.exponent.value.denominator === 1n
  );
}
