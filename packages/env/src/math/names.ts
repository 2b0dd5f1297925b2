// Which nodes only name something: the left side of x = 3, f(x) = ..., a + b = ... is a name, 2x is not.
import type { MathNode } from "./ast.ts";

/** A letter, a word, f(x), a_1, |z|, (x, y), x : y, AB. */
export function isName(node: MathNode): boolean {
  if (node.kind === "symbol" || node.kind === "text") return true;
  if (node.kind === "constant") return node.name === "e" || node.name === "i";
  if (node.kind === "apply") return node.items.every(isArgument);
  if (node.kind === "call") return namingFunctions.has(node.name) && node.items.every(isName);
  if (node.kind === "tuple") return node.items.every(isName);
  return (node.kind === "product" || node.kind === "ratio") && isNamedQuotient(node.items);
}

/** |z|, max(x), det(A) may be what an equation is about. */
const namingFunctions: ReadonlySet<string> = new Set(["abs", "max", "min", "det"]);

function isArgument(node: MathNode): boolean {
  return isName(node) || node.kind === "number" || node.kind === "relation" || isShifted(node);
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

/** The value of x = value. */
export function unnamed(node: MathNode): MathNode {
  const [name] = node.kind === "relation" ? node.items : [];
  const last =
    node.kind === "relation" && node.operators.every((operator) => operator === "=") ? node.items.at(-1) : undefined;
  return last !== undefined && name !== undefined && isName(name) ? last : node;
}
