// Identities of rational expressions, decided in the field of integers modulo a 64-bit prime: two expressions that agree there at random
// points are the same, whatever the size of their exponents (Fermat: exponents count modulo prime - 1). i is a square root of -1.
import type { MathNode } from "../ast.ts";
import type { Work } from "../bounds.ts";
import { exactValue } from "./exact.ts";
import type { Rational } from "../rational.ts";

/** 2^64 - 59: one more than a multiple of 4, so that -1 has a square root. */
const prime = 18446744073709551557n;
const order = prime - 1n;
const imaginary = findImaginary();

export type FieldValues = ReadonlyMap<string, bigint>;

function modulo(value: bigint, modulus: bigint): bigint {
  const rest = value % modulus;
  return rest < 0n ? rest + modulus : rest;
}

function powerModulo(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let square = modulo(base, modulus);
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

function findImaginary(): bigint {
  for (let base = 2n; ; base++) {
    const root = powerModulo(base, order / 4n, prime);
    if ((root * root) % prime === order) return root;
  }
}

/** The value in the field; undefined when the expression is not rational there, or divides by zero at this point. */
export function fieldValue(node: MathNode, values: FieldValues, work: Work): bigint | undefined {
  return evaluate(node, values, work);
}

function evaluate(node: MathNode, values: FieldValues, work: Work): bigint | undefined {
  work.spend();
  switch (node.kind) {
    case "number":
      return fromRational(node.value, work);
    case "constant":
      return node.name === "i" ? imaginary : undefined;
    case "symbol":
      return values.get(node.name);
    case "sum": {
      let total = 0n;
      for (const item of node.items) {
        const value = evaluate(item, values, work);
        if (value === undefined) return undefined;
        total += value;
      }
      return total % prime;
    }
    case "product": {
      let total = 1n;
      for (const item of node.items) {
        const value = evaluate(item, values, work);
        if (value === undefined) return undefined;
        total = (total * value) % prime;
      }
      return total;
    }
    case "percent": {
      const value = evaluate(node.value, values, work);
      return value && (value * (invert(100n, work) ?? 0n)) % prime;
    }
    case "degrees":
      return evaluate(node.value, values, work);
    case "power":
      return evaluatePower(node.base, node.exponent, values, work);
    case "apply":
      return evaluateUnknown(node.name, node.items, values, work);
    case "call": {
      const exact = node.name === "factorial" || node.name === "binomial" ? exactValue(node, work) : undefined;
      return exact && fromRational(exact, work);
    }
    case "text":
    case "series":
    case "integral":
    case "limit":
    case "derivative":
    case "piecewise":
    case "tuple":
    case "set":
    case "list":
    case "set-builder":
    case "set-operation":
    case "number-set":
    case "matrix":
    case "plus-minus":
    case "ratio":
    case "relation":
    case "logic":
      return undefined;
  }
}

function fromRational({ numerator, denominator }: Rational, work: Work): bigint | undefined {
  if (denominator === 1n) return modulo(numerator, prime);
  const below = invert(denominator, work);
  return below === undefined ? undefined : (modulo(numerator, prime) * below) % prime;
}

function invert(value: bigint, work: Work): bigint | undefined {
  const rest = modulo(value, prime);
  if (rest === 0n) return undefined;
  work.spend(30);
  return powerModulo(rest, prime - 2n, prime);
}

function evaluatePower(
  baseNode: MathNode,
  exponentNode: MathNode,
  values: FieldValues,
  work: Work,
): bigint | undefined {
  const isPlain = exponentNode.kind === "number" && exponentNode.value.denominator === 1n;
  const exponent = isPlain ? exponentNode.value.numerator : exponentOf(exponentNode, work);
  if (exponent === undefined) return undefined;
  const base = evaluate(baseNode, values, work);
  // A power of zero does not follow Fermat: its exponent may not be reduced.
  if (base === undefined || (base === 0n && !isPlain)) return undefined;
  work.spend(30);
  if (exponent >= 0n) return powerModulo(base, base === 0n ? exponent : exponent % order, prime);
  const inverse = invert(base, work);
  return inverse && powerModulo(inverse, -exponent % order, prime);
}

/** A tower of whole numbers, modulo prime - 1. */
function exponentOf(node: MathNode, work: Work): bigint | undefined {
  work.spend();
  if (node.kind === "number") return node.value.denominator === 1n ? modulo(node.value.numerator, order) : undefined;
  if (node.kind === "sum" || node.kind === "product") {
    let total = node.kind === "sum" ? 0n : 1n;
    for (const item of node.items) {
      const value = exponentOf(item, work);
      if (value === undefined) return undefined;
      total = (node.kind === "sum" ? total + value : total * value) % order;
    }
    return total;
  }
  if (node.kind !== "power") return undefined;
  // Modulo prime - 1, which is no prime, an exponent cannot be reduced: it has to be worked out.
  const base = exponentOf(node.base, work);
  const exponent = exactValue(node.exponent, work);
  if (base === undefined || exponent === undefined || exponent.denominator !== 1n || exponent.numerator < 0n)
    return undefined;
  work.spend(30 + exponent.numerator.toString(16).length);
  return powerModulo(base, exponent.numerator, order);
}

/** f(x): any fixed number that depends on the name and the arguments. */
function evaluateUnknown(
  name: string,
  items: readonly MathNode[],
  values: FieldValues,
  work: Work,
): bigint | undefined {
  let hash = 0n;
  for (const character of name) hash = (hash * 1000003n + BigInt(character.codePointAt(0) ?? 0)) % prime;
  for (const item of items) {
    const value = evaluate(item, values, work);
    if (value === undefined) return undefined;
    const mixed = (hash * 6364136223846793005n + value + 1442695040888963407n) % prime;
    hash = (mixed * mixed * mixed + mixed) % prime;
  }
  return hash;
}
