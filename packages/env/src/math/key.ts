// A string for a tree: equal strings mean equal answers. Order does not count where it has no meaning.
import type { MathNode } from "./ast.ts";
import type { Work } from "./bounds.ts";
import type { Rational } from "./rational.ts";

export function keyOf(node: MathNode, work: Work): string {
  const key = (child: MathNode): string => keyOf(child, work);
  const keys = (items: readonly MathNode[], separator: string): string => items.map(key).join(separator);
  const sorted = (items: readonly MathNode[], separator: string): string => items.map(key).sort().join(separator);
  work.spend();
  switch (node.kind) {
    case "number":
      return numberKey(node.value, work);
    case "constant":
      return `#${node.name}`;
    case "symbol":
      return `$${node.name}`;
    case "text":
      return `"${node.text.replaceAll(/\s+/g, " ")}"`;
    case "sum":
      return `(+ ${sorted(node.items, " ")})`;
    case "product":
      return `(* ${sorted(node.items, " ")})`;
    case "power":
      return `(^ ${key(node.base)} ${key(node.exponent)})`;
    case "percent":
      return `(% ${key(node.value)})`;
    case "degrees":
      return `(deg ${key(node.value)})`;
    case "call":
      return `(${node.name} ${keys(node.items, " ")})`;
    case "apply":
      return `(@${node.name} ${keys(node.items, " ")})`;
    case "series":
      return `(${node.operator} ${node.variable} ${key(node.from)} ${key(node.to)} ${key(node.body)})`;
    case "integral":
      return `(int ${node.variable} ${node.from && key(node.from)} ${node.to && key(node.to)} ${key(node.body)})`;
    case "limit":
      return `(lim ${node.variable} ${node.side} ${key(node.target)} ${key(node.body)})`;
    case "derivative":
      return `(d ${node.variable} ${key(node.body)})`;
    case "piecewise":
      return `(cases ${node.branches.map(({ value, condition }) => `${key(value)}?${condition && key(condition)}`).join(" ")})`;
    case "tuple":
      return `${node.open}${keys(node.items, ",")}${node.close}`;
    case "set":
      return `{${sorted(node.items, ",")}}`;
    case "list":
      return `<${keys(node.items, ",")}>`;
    case "set-builder":
      return `{${key(node.element)}|${sorted(node.conditions, ",")}}`;
    case "set-operation":
      return node.operator === "minus"
        ? `(minus ${keys(node.items, " ")})`
        : `(${node.operator} ${sorted(node.items, " ")})`;
    case "number-set":
      return `%${node.name}`;
    case "matrix":
      return `[${node.rows.map((row) => keys(row, "&")).join(";")}${node.isDeterminant ? "!" : ""}]`;
    case "plus-minus":
      return `(pm ${node.sign} ${key(node.value)})`;
    case "ratio":
      return `(: ${keys(node.items, " ")})`;
    case "relation":
      return `(${node.operators.join(" ")} ${keys(node.items, " ")})`;
    case "logic":
      return `(${node.operator} ${sorted(node.items, " ")})`;
  }
}

/** In base 32, which takes time in proportion to the length. */
function numberKey({ numerator, denominator }: Rational, work: Work): string {
  const above = numerator.toString(32);
  work.spend(above.length >> 6);
  return denominator === 1n ? above : `${above}/${denominator.toString(32)}`;
}
