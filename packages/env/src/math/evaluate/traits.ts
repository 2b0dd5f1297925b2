// What an expression is made of: its free names, which of them only make sense as whole numbers, and whether it has decimals,
// the imaginary unit, parts that are only known approximately, or parts that have no value.
import type { MathNode } from "../ast.ts";
import type { Work } from "../bounds.ts";
import { boundVariable, childrenOf } from "../tree.ts";

export interface Traits {
  readonly names: Set<string>;
  readonly wholeNames: Set<string>;
  hasDecimal: boolean;
  hasImaginary: boolean;
  /** Integrals, limits, endless sums: worked out numerically. */
  isApproximate: boolean;
  /** Text, sets, relations: nothing to calculate with. */
  hasNoValue: boolean;
}

const wholeFunctions: ReadonlySet<string> = new Set(["factorial", "binomial", "mod", "gcd", "lcm"]);

export function traitsOf(nodes: readonly MathNode[], work: Work): Traits {
  const traits: Traits = {
    names: new Set(),
    wholeNames: new Set(),
    hasDecimal: false,
    hasImaginary: false,
    isApproximate: false,
    hasNoValue: false,
  };
  for (const node of nodes) collect(node, traits, new Set(), false, work);
  return traits;
}

function collect(node: MathNode, traits: Traits, bound: ReadonlySet<string>, isWhole: boolean, work: Work): void {
  work.spend();
  const visit = (child: MathNode, whole = isWhole): void => collect(child, traits, bound, whole, work);
  switch (node.kind) {
    case "number":
      traits.hasDecimal ||= node.isDecimal;
      return;
    case "symbol":
      if (bound.has(node.name)) return;
      traits.names.add(node.name);
      if (isWhole) traits.wholeNames.add(node.name);
      return;
    case "constant":
      traits.hasImaginary ||= node.name === "i";
      return;
    case "power":
      visit(node.base);
      visit(node.exponent, isWhole || isNegativeNumber(node.base));
      return;
    case "call":
      for (const item of node.items) visit(item, isWhole || wholeFunctions.has(node.name));
      return;
    case "series":
    case "integral":
    case "limit": {
      const variable = boundVariable(node);
      const inner = variable === undefined ? bound : new Set([...bound, variable]);
      const isSeries = node.kind === "series";
      traits.isApproximate ||= !isSeries || node.to.kind === "constant";
      for (const child of childrenOf(node))
        if (child === node.body) collect(child, traits, inner, isWhole, work);
        else visit(child, isSeries);
      return;
    }
    case "derivative":
      traits.isApproximate = true;
      visit(node.body);
      return;
    case "piecewise":
      for (const { value, condition } of node.branches) {
        visit(value);
        if (condition !== undefined) collectNames(condition, traits, bound, work);
      }
      return;
    case "matrix":
      traits.hasNoValue ||= !node.isDeterminant;
      break;
    case "text":
    case "tuple":
    case "set":
    case "list":
    case "set-builder":
    case "set-operation":
    case "number-set":
    case "relation":
    case "logic":
    case "plus-minus":
      traits.hasNoValue = true;
      break;
    case "sum":
    case "product":
    case "percent":
    case "degrees":
    case "apply":
    case "ratio":
      break;
  }
  for (const child of childrenOf(node)) visit(child);
}

/** Of a condition only the names count. */
function collectNames(node: MathNode, traits: Traits, bound: ReadonlySet<string>, work: Work): void {
  work.spend();
  if (node.kind === "symbol" && !bound.has(node.name)) traits.names.add(node.name);
  for (const child of childrenOf(node)) collectNames(child, traits, bound, work);
}

function isNegativeNumber(node: MathNode): boolean {
  return node.kind === "number" && node.value.numerator < 0n;
}
