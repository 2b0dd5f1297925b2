// What an answer says, as a tree. Plain data; sums, products, relations and set operations hold any number of parts,
// so that a long answer is wide, not deep. Constructors fold plain numbers and nothing else.
import * as rational from "./rational.ts";
import type { Rational } from "./rational.ts";

export type MathNode =
  | NumberNode
  | { readonly kind: "constant"; readonly name: "pi" | "e" | "i" | "infinity" }
  | SymbolNode
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "sum"; readonly items: readonly MathNode[] }
  | { readonly kind: "product"; readonly items: readonly MathNode[] }
  | { readonly kind: "power"; readonly base: MathNode; readonly exponent: MathNode }
  | { readonly kind: "percent"; readonly value: MathNode }
  /** 30^\circ: a plain 30, but radians inside trigonometry. */
  | { readonly kind: "degrees"; readonly value: MathNode }
  /** A function with a meaning: sin, ln, abs, factorial. */
  | { readonly kind: "call"; readonly name: string; readonly items: readonly MathNode[] }
  /** A function or sequence without one: f(x), a_{n+1}. */
  | { readonly kind: "apply"; readonly name: string; readonly items: readonly MathNode[] }
  | SeriesNode
  | IntegralNode
  | LimitNode
  | { readonly kind: "derivative"; readonly variable: string; readonly body: MathNode }
  | PiecewiseNode
  | TupleNode
  | { readonly kind: "set"; readonly items: readonly MathNode[] }
  /** Written without brackets: 1, 2 and 3. */
  | { readonly kind: "list"; readonly items: readonly MathNode[] }
  | SetBuilderNode
  | { readonly kind: "set-operation"; readonly operator: SetOperator; readonly items: readonly MathNode[] }
  | { readonly kind: "number-set"; readonly name: NumberSet }
  | MatrixNode
  | { readonly kind: "plus-minus"; readonly sign: 1 | -1; readonly value: MathNode }
  | { readonly kind: "ratio"; readonly items: readonly MathNode[] }
  | RelationNode
  | { readonly kind: "logic"; readonly operator: "and" | "or"; readonly items: readonly MathNode[] };

export interface NumberNode {
  readonly kind: "number";
  readonly value: Rational;
  /** Written with a decimal point: compared after rounding. */
  readonly isDecimal: boolean;
}
export interface SymbolNode {
  readonly kind: "symbol";
  readonly name: string;
}
export interface SeriesNode {
  readonly kind: "series";
  readonly operator: "sum" | "product";
  readonly variable: string;
  readonly from: MathNode;
  readonly to: MathNode;
  readonly body: MathNode;
}
export interface IntegralNode {
  readonly kind: "integral";
  readonly variable: string;
  /** Neither: an indefinite integral. */
  readonly from: MathNode | undefined;
  readonly to: MathNode | undefined;
  readonly body: MathNode;
}
export interface LimitNode {
  readonly kind: "limit";
  readonly variable: string;
  readonly target: MathNode;
  readonly side: "both" | "above" | "below";
  readonly body: MathNode;
}
export interface Branch {
  readonly value: MathNode;
  /** undefined: otherwise. */
  readonly condition: MathNode | undefined;
}
export interface PiecewiseNode {
  readonly kind: "piecewise";
  readonly branches: readonly Branch[];
}
/** A point, or an interval: (1, 2] can only be the latter, (1, 2) may be both. */
export interface TupleNode {
  readonly kind: "tuple";
  readonly open: "(" | "[";
  readonly close: ")" | "]";
  readonly items: readonly MathNode[];
}
/** { element | conditions }. */
export interface SetBuilderNode {
  readonly kind: "set-builder";
  readonly element: MathNode;
  readonly conditions: readonly MathNode[];
}
export interface MatrixNode {
  readonly kind: "matrix";
  readonly rows: readonly (readonly MathNode[])[];
  readonly isDeterminant: boolean;
}
export interface RelationNode {
  readonly kind: "relation";
  /** One fewer than items. */
  readonly operators: readonly RelationOperator[];
  readonly items: readonly MathNode[];
}
export type RelationOperator = "=" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not-in" | "subset" | "to" | "implies";
export type SetOperator = "union" | "intersection" | "minus";
export type NumberSet = "naturals" | "integers" | "rationals" | "reals" | "complexes" | "empty";

export function numberNode(value: Rational, isDecimal = false): NumberNode {
  return { kind: "number", value, isDecimal };
}
export function integerNode(value: bigint | number): NumberNode {
  return numberNode(rational.integer(value));
}
const minusOne: NumberNode = integerNode(-1);
export const pi: MathNode = { kind: "constant", name: "pi" };
export const infinity: MathNode = { kind: "constant", name: "infinity" };

export function symbol(name: string): SymbolNode {
  return { kind: "symbol", name };
}
export function call(name: string, ...items: readonly MathNode[]): MathNode {
  return { kind: "call", name, items };
}

export function sum(items: readonly MathNode[]): MathNode {
  return items.length === 1 && items[0] !== undefined ? items[0] : { kind: "sum", items };
}

/** Products among the factors are taken apart. */
export function product(items: readonly MathNode[]): MathNode {
  if (items.length === 1 && items[0] !== undefined) return items[0];
  const isFlat = !items.some(({ kind }) => kind === "product");
  return {
    kind: "product",
    items: isFlat ? items : items.flatMap((item) => (item.kind === "product" ? item.items : [item])),
  };
}

export function negated(node: MathNode): MathNode {
  if (node.kind === "number") return { ...node, value: rational.negate(node.value) };
  return { kind: "product", items: node.kind === "product" ? [minusOne, ...node.items] : [minusOne, node] };
}

export function difference(a: MathNode, b: MathNode): MathNode {
  return { kind: "sum", items: [a, negated(b)] };
}

/** 1/x. A plain number becomes its inverse, except zero: that stays a power, which has no value. */
export function inverse(node: MathNode): MathNode {
  const value = node.kind === "number" ? rational.invert(node.value) : undefined;
  if (value !== undefined && node.kind === "number") return numberNode(value, node.isDecimal);
  return { kind: "power", base: node, exponent: minusOne };
}

/** a/b; two plain numbers become one. */
export function quotient(a: MathNode, b: MathNode): MathNode {
  const below = inverse(b);
  if (a.kind === "number" && below.kind === "number")
    return numberNode(rational.multiply(a.value, below.value), a.isDecimal || below.isDecimal);
  return { kind: "product", items: [a, below] };
}

export function root(node: MathNode, degree: MathNode): MathNode {
  return { kind: "power", base: node, exponent: inverse(degree) };
}

export function relation(a: MathNode, operator: RelationOperator, b: MathNode): RelationNode {
  return { kind: "relation", operators: [operator], items: [a, b] };
}
