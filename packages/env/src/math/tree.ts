// Walks over the tree: the parts of a node, a node with its parts replaced, names in it, names replaced.
import type { Branch, MathNode } from "./ast.ts";

export function childrenOf(node: MathNode): readonly MathNode[] {
  switch (node.kind) {
    case "number":
    case "constant":
    case "symbol":
    case "text":
    case "number-set":
      return [];
    case "power":
      return [node.base, node.exponent];
    case "percent":
    case "degrees":
    case "plus-minus":
      return [node.value];
    case "series":
      return [node.from, node.to, node.body];
    case "integral":
      return node.from === undefined || node.to === undefined ? [node.body] : [node.from, node.to, node.body];
    case "limit":
      return [node.target, node.body];
    case "derivative":
      return [node.body];
    case "piecewise":
      return node.branches.flatMap(({ value, condition }) => (condition === undefined ? [value] : [value, condition]));
    case "set-builder":
      return [node.element, ...node.conditions];
    case "matrix":
      return node.rows.flat();
    case "sum":
    case "product":
    case "call":
    case "apply":
    case "tuple":
    case "set":
    case "list":
    case "set-operation":
    case "ratio":
    case "relation":
    case "logic":
      return node.items;
  }
}

export type Rewrite = (node: MathNode) => MathNode;

/** The node with `rewrite` applied to each of its parts. */
export function mapChildren(node: MathNode, rewrite: Rewrite): MathNode {
  switch (node.kind) {
    case "number":
    case "constant":
    case "symbol":
    case "text":
    case "number-set":
      return node;
    case "power":
      return { ...node, base: rewrite(node.base), exponent: rewrite(node.exponent) };
    case "percent":
    case "degrees":
    case "plus-minus":
      return { ...node, value: rewrite(node.value) };
    case "series":
      return { ...node, from: rewrite(node.from), to: rewrite(node.to), body: rewrite(node.body) };
    case "integral":
      return {
        ...node,
        from: node.from && rewrite(node.from),
        to: node.to && rewrite(node.to),
        body: rewrite(node.body),
      };
    case "limit":
      return { ...node, target: rewrite(node.target), body: rewrite(node.body) };
    case "derivative":
      return { ...node, body: rewrite(node.body) };
    case "piecewise":
      return { ...node, branches: node.branches.map((branch) => mapBranch(branch, rewrite)) };
    case "set-builder":
      return { ...node, element: rewrite(node.element), conditions: node.conditions.map(rewrite) };
    case "matrix":
      return { ...node, rows: node.rows.map((row) => row.map(rewrite)) };
    case "sum":
    case "product":
    case "call":
    case "apply":
    case "tuple":
    case "set":
    case "list":
    case "set-operation":
    case "ratio":
    case "relation":
    case "logic":
      return { ...node, items: node.items.map(rewrite) };
  }
}

function mapBranch({ value, condition }: Branch, rewrite: Rewrite): Branch {
  return { value: rewrite(value), condition: condition && rewrite(condition) };
}

/** Whether any node of the tree, the root included, passes. */
export function some(node: MathNode, test: (node: MathNode) => boolean): boolean {
  return test(node) || childrenOf(node).some((child) => some(child, test));
}

/** The tree with each symbol of the map replaced. */
export function substitute(node: MathNode, values: ReadonlyMap<string, MathNode>): MathNode {
  if (node.kind === "symbol") return values.get(node.name) ?? node;
  return mapChildren(node, (child) => substitute(child, values));
}

/** The variable that a node binds in its body, if it does. */
export function boundVariable(node: MathNode): string | undefined {
  return node.kind === "series" || node.kind === "integral" || node.kind === "limit" ? node.variable : undefined;
}
