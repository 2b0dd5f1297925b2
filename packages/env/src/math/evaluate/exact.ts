// Exact values: fractions, as far as an expression has one. Perfect powers, factorials, binomials, whole logarithms, determinants
// and short sums are worked out; undefined means that the value is not a fraction, or that it is too long to write down.
import type { MathNode, SeriesNode } from "../ast.ts";
import { limits, type Work } from "../bounds.ts";
import * as rational from "../rational.ts";
import type { Rational } from "../rational.ts";
import { determinant } from "./determinant.ts";

export type ExactValues = ReadonlyMap<string, Rational>;
const noValues: ExactValues = new Map();

export function exactValue(node: MathNode, work: Work, values: ExactValues = noValues): Rational | undefined {
  return new Exact(work).value(node, values);
}

class Exact {
  readonly #work: Work;

  constructor(work: Work) {
    this.#work = work;
  }

  value(node: MathNode, values: ExactValues): Rational | undefined {
    this.#work.spend();
    switch (node.kind) {
      case "number":
        return node.value;
      case "symbol":
        return values.get(node.name);
      case "sum":
        return this.#fold(node.items, values, rational.zero, rational.add);
      case "product":
        return this.#fold(node.items, values, rational.one, rational.multiply);
      case "percent": {
        const value = this.value(node.value, values);
        return value && rational.fraction(value.numerator, value.denominator * 100n);
      }
      case "degrees":
        return this.value(node.value, values);
      case "power": {
        const exponent = this.value(node.exponent, values);
        const base = exponent && this.value(node.base, values);
        return base && this.#power(base, exponent);
      }
      case "call": {
        const items = this.#all(node.items, values);
        return items && this.#call(node.name, items);
      }
      case "matrix": {
        const rows = node.isDeterminant ? node.rows.map((row) => this.#all(row, values)) : [];
        const complete = rows.flatMap((row) => (row === undefined ? [] : [row]));
        return complete.length === node.rows.length ? determinant(complete, this.#work) : undefined;
      }
      case "series":
        return this.#series(node, values);
      case "constant":
      case "text":
      case "apply":
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
      case "plus-minus":
      case "ratio":
      case "relation":
      case "logic":
        return undefined;
    }
  }

  #all(nodes: readonly MathNode[], values: ExactValues): Rational[] | undefined {
    const results: Rational[] = [];
    for (const node of nodes) {
      const value = this.value(node, values);
      if (value === undefined) return undefined;
      results.push(value);
    }
    return results;
  }

  #fold(
    nodes: readonly MathNode[],
    values: ExactValues,
    start: Rational,
    combine: (a: Rational, b: Rational) => Rational,
  ): Rational | undefined {
    let total: Rational | undefined;
    for (const node of nodes) {
      const value = this.value(node, values);
      if (value === undefined || (total !== undefined && !this.#isAffordable(total, value))) return undefined;
      total = total === undefined ? value : combine(total, value);
    }
    return total ?? start;
  }

  /** Whether combining the two stays within bounds; charges for it. */
  #isAffordable(a: Rational, b: Rational): boolean {
    const bits = rational.bitsOf(a) + rational.bitsOf(b);
    if (bits <= 512) return true;
    const isWhole = rational.isInteger(a) && rational.isInteger(b);
    if (bits > (isWhole ? limits.integerBits : limits.fractionBits)) return false;
    this.#work.spend(isWhole ? bits >> 9 : (bits * bits) >> 12);
    return true;
  }

  #power(base: Rational, exponent: Rational): Rational | undefined {
    if (rational.isInteger(exponent)) return this.#wholePower(base, exponent.numerator);
    if (exponent.denominator > 64n || rational.bitsOf(base) > 2048) return undefined;
    const degree = Number(exponent.denominator);
    const isNegative = base.numerator < 0n;
    if (isNegative && degree % 2 === 0) return undefined;
    this.#work.spend(20);
    const above = rational.exactRoot(rational.absolute(base.numerator), degree);
    const below = rational.exactRoot(base.denominator, degree);
    if (above === undefined || below === undefined) return undefined;
    return this.#wholePower({ numerator: isNegative ? -above : above, denominator: below }, exponent.numerator);
  }

  #wholePower(base: Rational, exponent: bigint): Rational | undefined {
    if (base.numerator === 0n) return exponent < 0n ? undefined : rational.integer(exponent === 0n ? 1 : 0);
    const isUnit = base.denominator === 1n && (base.numerator === 1n || base.numerator === -1n);
    if (isUnit) return exponent % 2n === 0n ? rational.one : base;
    const times = rational.absolute(exponent);
    if (times > BigInt(limits.integerBits)) return undefined;
    const longest =
      base.numerator * base.numerator > base.denominator * base.denominator ? base.numerator : base.denominator;
    const bits = Number(times) * Math.max(1, rational.absolute(longest).toString(2).length);
    if (bits > limits.integerBits) return undefined;
    this.#work.spend(bits >> 9);
    const result = rational.power(base, times);
    return exponent < 0n ? rational.invert(result) : result;
  }

  #call(name: string, items: readonly Rational[]): Rational | undefined {
    const [first = rational.zero, second] = items;
    switch (name) {
      case "abs":
        return { ...first, numerator: rational.absolute(first.numerator) };
      case "floor":
        return rational.integer(rational.floor(first));
      case "ceil":
        return rational.integer(-rational.floor(rational.negate(first)));
      case "sgn":
        return rational.integer(rational.signOf(first.numerator));
      case "max":
        return items.reduce((a, b) => (rational.compare(a, b) >= 0 ? a : b));
      case "min":
        return items.reduce((a, b) => (rational.compare(a, b) <= 0 ? a : b));
      default:
        return items.every(rational.isInteger)
          ? this.#wholeCall(
              name,
              items.map(({ numerator }) => numerator),
            )
          : name === "log-base" && second !== undefined
            ? this.#logarithm(first, second)
            : undefined;
    }
  }

  #wholeCall(name: string, items: readonly bigint[]): Rational | undefined {
    const [first = 0n, second = 0n] = items;
    switch (name) {
      case "factorial":
        return first < 0n || first > 3000n ? undefined : rational.integer(this.#descending(first, first));
      case "binomial": {
        const chosen = first >= 0n && second > first - second ? first - second : second;
        if (chosen < 0n || second > first) return first >= 0n ? rational.zero : undefined;
        if (chosen > 3000n) return undefined;
        return rational.integer(this.#descending(first, chosen) / this.#descending(chosen, chosen));
      }
      case "mod":
        return second === 0n ? undefined : rational.integer(((first % second) + second) % second);
      case "gcd":
        return rational.integer(items.reduce(rational.gcd));
      case "lcm":
        if (items.some((item) => item === 0n)) return rational.zero;
        return rational.integer(items.reduce((a, b) => rational.absolute(a * b) / rational.gcd(a, b)));
      case "log-base":
        return this.#logarithm(rational.integer(first), rational.integer(second));
      default:
        return undefined;
    }
  }

  /** from * (from - 1) * ..., `count` factors. */
  #descending(from: bigint, count: bigint): bigint {
    this.#work.spend(Number(count));
    let result = 1n;
    for (let step = 0n; step < count; step++) result *= from - step;
    return result;
  }

  /** The k with base^k = value, when it is whole. */
  #logarithm(value: Rational, base: Rational): Rational | undefined {
    if (value.numerator <= 0n || base.numerator <= 0n || rational.equals(base, rational.one)) return undefined;
    const estimate = Math.round(Math.log(rational.toNumber(value)) / Math.log(rational.toNumber(base)));
    if (!Number.isSafeInteger(estimate) || Math.abs(estimate) > 5000) return undefined;
    const reached = this.#wholePower(base, BigInt(estimate));
    return reached !== undefined && rational.equals(reached, value) ? rational.integer(estimate) : undefined;
  }

  #series(node: SeriesNode, values: ExactValues): Rational | undefined {
    const from = this.value(node.from, values);
    const to = this.value(node.to, values);
    if (from === undefined || to === undefined || !rational.isInteger(from) || !rational.isInteger(to))
      return undefined;
    if (to.numerator - from.numerator > 2000n) return undefined;
    const inner = new Map(values);
    let total = node.operator === "sum" ? rational.zero : rational.one;
    for (let index = from.numerator; index <= to.numerator; index++) {
      inner.set(node.variable, rational.integer(index));
      const term = this.value(node.body, inner);
      if (term === undefined || !this.#isAffordable(total, term)) return undefined;
      total = node.operator === "sum" ? rational.add(total, term) : rational.multiply(total, term);
    }
    return total;
  }
}
