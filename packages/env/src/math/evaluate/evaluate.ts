// The value of an expression for given values of its names, in doubles or in fixed point.
// undefined: no value there (a pole, a logarithm of zero), or none at all (text, sets).
import type { IntegralNode, LimitNode, MathNode, PiecewiseNode, SeriesNode } from "../ast.ts";
import type { Work } from "../bounds.ts";
import { isInteger } from "../rational.ts";
import type { Complex } from "./complex.ts";
import { conditionHolds } from "./condition.ts";
import { fixedPoint } from "./fixed-point.ts";
import { Functions } from "./functions.ts";
import { derivativeAt, endlessSum, integrate, limitAt, limitAtInfinity } from "./numerical.ts";
import { doubles, fail, type Reals, valueOf } from "./reals.ts";

export type Values<Real> = ReadonlyMap<string, Complex<Real>>;

export class Evaluator<Real> {
  readonly functions: Functions<Real>;
  readonly #reals: Reals<Real>;
  readonly #work: Work;
  /** Units of work for a node and for a function. */
  readonly #price: { readonly node: number; readonly call: number };

  constructor(reals: Reals<Real>, work: Work, price: { readonly node: number; readonly call: number }) {
    this.#reals = reals;
    this.#work = work;
    this.#price = price;
    this.functions = new Functions(reals);
  }

  evaluate(node: MathNode, values: Values<Real>): Complex<Real> | undefined {
    return valueOf(() => this.#value(node, values));
  }

  #value(node: MathNode, values: Values<Real>): Complex<Real> {
    this.#work.spend(this.#price.node);
    const { functions } = this;
    switch (node.kind) {
      case "number":
        return functions.real(this.#reals.from(node.value));
      case "constant":
        return this.#constant(node.name);
      case "symbol":
        return values.get(node.name) ?? fail();
      case "sum":
        return node.items.map((item) => this.#value(item, values)).reduce((a, b) => functions.add(a, b));
      case "product":
        return node.items.map((item) => this.#value(item, values)).reduce((a, b) => functions.multiply(a, b));
      case "percent":
        return functions.divide(this.#value(node.value, values), functions.fromInteger(100));
      case "degrees":
        return this.#value(node.value, values);
      case "power":
        return this.#power(node.base, node.exponent, values);
      case "call": {
        this.#work.spend(this.#price.call);
        return functions.call(
          node.name,
          node.items.map((item) => this.#value(item, values)),
        );
      }
      case "apply":
        return this.#unknown(node.name, node.items, values);
      case "ratio":
        return this.#ratio(node.items, values);
      case "piecewise":
        return this.#piecewise(node, values);
      case "matrix":
        return node.isDeterminant ? this.#determinant(node.rows, values) : fail();
      case "series":
        return this.#series(node, values);
      case "integral":
        return this.#integral(node, values);
      case "limit":
        return this.#limit(node, values);
      case "derivative": {
        const at = values.get(node.variable) ?? fail();
        return this.#viaFixed(
          (evaluate) => derivativeAt(evaluate, this.#toFixed(at)),
          node.body,
          node.variable,
          values,
        );
      }
      default:
        return fail();
    }
  }

  #constant(name: "pi" | "e" | "i" | "infinity"): Complex<Real> {
    switch (name) {
      case "pi":
        return this.functions.real(this.#reals.pi);
      case "e":
        this.#work.spend(this.#price.call);
        return this.functions.real(this.#reals.exponential(this.functions.one.re));
      case "i":
        return this.functions.i;
      case "infinity":
        return fail();
    }
  }

  /** Whole and fractional exponents by multiplying and taking roots; an odd root of a negative number is negative. */
  #power(baseNode: MathNode, exponentNode: MathNode, values: Values<Real>): Complex<Real> {
    const { functions } = this;
    if (baseNode.kind === "constant" && baseNode.name === "e") {
      this.#work.spend(this.#price.call);
      return functions.exponential(this.#value(exponentNode, values));
    }
    const base = this.#value(baseNode, values);
    if (exponentNode.kind === "number") {
      const { numerator, denominator } = exponentNode.value;
      const isSmall = numerator <= 2000n && numerator >= -2000n && denominator <= 64n;
      if (isSmall && isInteger(exponentNode.value)) return functions.wholePower(base, Number(numerator));
      if (isSmall && functions.isReal(base)) return this.#rootPower(base, Number(numerator), Number(denominator));
    }
    const exponent = this.#value(exponentNode, values);
    const whole = this.#wholeNumber(exponent);
    if (whole !== undefined) return functions.wholePower(base, whole);
    this.#work.spend(2 * this.#price.call);
    return functions.power(base, exponent);
  }

  #wholeNumber(value: Complex<Real>): number | undefined {
    if (!this.functions.isReal(value)) return undefined;
    const number = this.#reals.toNumber(value.re);
    return Number.isInteger(number) && Math.abs(number) <= 2000 ? number : undefined;
  }

  #rootPower(base: Complex<Real>, numerator: number, degree: number): Complex<Real> {
    const { functions } = this;
    this.#work.spend(this.#price.call);
    if (this.#reals.sign(base.re) >= 0)
      return functions.wholePower(functions.real(this.#reals.root(base.re, degree)), numerator);
    const root =
      degree % 2 === 1
        ? functions.negate(functions.real(this.#reals.root(functions.negate(base).re, degree)))
        : degree === 2
          ? functions.squareRoot(base)
          : functions.power(base, functions.invert(functions.fromInteger(degree)));
    return functions.wholePower(root, numerator);
  }

  /** f(x): a fixed number between 0.5 and 2.5 that depends on the name and on nine digits of the arguments. */
  #unknown(name: string, items: readonly MathNode[], values: Values<Real>): Complex<Real> {
    let hash = 2166136261;
    const mix = (text: string): void => {
      for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 16777619);
    };
    mix(name);
    for (const item of items) {
      const { re, im } = this.#value(item, values);
      for (const part of [re, im]) {
        const number = this.#reals.toNumber(part);
        mix(Math.abs(number) < 1e-9 ? "0" : number.toPrecision(9));
      }
    }
    return this.functions.real(this.#reals.fromNumber(0.5 + ((hash >>> 0) % 131071) / 65536));
  }

  #ratio(items: readonly MathNode[], values: Values<Real>): Complex<Real> {
    const [above, below] = items;
    if (items.length !== 2 || above === undefined || below === undefined) return fail();
    return this.functions.divide(this.#value(above, values), this.#value(below, values));
  }

  #piecewise(node: PiecewiseNode, values: Values<Real>): Complex<Real> {
    for (const { value, condition } of node.branches) {
      if (condition === undefined || conditionHolds(condition, (part) => this.#number(part, values)))
        return this.#value(value, values);
    }
    return fail();
  }

  #number(node: MathNode, values: Values<Real>): number {
    const value = this.#value(node, values);
    return this.functions.isReal(value) ? this.#reals.toNumber(value.re) : Number.NaN;
  }

  /** By the first row; the size is small or it fails. */
  #determinant(rows: readonly (readonly MathNode[])[], values: Values<Real>): Complex<Real> {
    const { functions } = this;
    if (rows.length > 5 || rows.some((row) => row.length !== rows.length)) return fail();
    const expand = (matrix: readonly (readonly Complex<Real>[])[]): Complex<Real> => {
      const [first = [], ...rest] = matrix;
      this.#work.spend(this.#price.node);
      if (rest.length === 0) return first[0] ?? fail();
      return first
        .map((cell, column) => {
          const minor = rest.map((row) => row.filter((_, index) => index !== column));
          const value = functions.multiply(cell, expand(minor));
          return column % 2 === 0 ? value : functions.negate(value);
        })
        .reduce((a, b) => functions.add(a, b));
    };
    return expand(rows.map((row) => row.map((cell) => this.#value(cell, values))));
  }

  #series({ operator, variable, from, to, body }: SeriesNode, values: Values<Real>): Complex<Real> {
    const { functions } = this;
    const first = this.#number(from, values);
    if (to.kind === "constant" && to.name === "infinity") {
      if (operator !== "sum" || !Number.isInteger(first)) return fail();
      const sum = (f: (x: bigint) => bigint): bigint => endlessSum((index) => f(fixedPoint.fromNumber(first + index)));
      return this.#viaFixed(sum, body, variable, values);
    }
    const last = Math.round(this.#number(to, values));
    if (!Number.isInteger(first) || !Number.isInteger(last) || last - first > 2000) return fail();
    let total = operator === "sum" ? functions.zero : functions.one;
    for (let index = first; index <= last; index++) {
      const term = this.#value(body, new Map(values).set(variable, functions.fromInteger(index)));
      total = operator === "sum" ? functions.add(total, term) : functions.multiply(total, term);
    }
    return total;
  }

  #integral({ variable, from, to, body }: IntegralNode, values: Values<Real>): Complex<Real> {
    if (from === undefined || to === undefined) return fail();
    const f = (x: number): number => {
      const at = this.functions.real(this.#reals.fromNumber(x));
      const value = this.evaluate(body, new Map(values).set(variable, at));
      return value !== undefined && this.functions.isReal(value) ? this.#reals.toNumber(value.re) : Number.NaN;
    };
    const result = integrate(f, this.#bound(from, values), this.#bound(to, values));
    return this.functions.real(this.#reals.fromNumber(result));
  }

  #bound(node: MathNode, values: Values<Real>): number {
    return infinite(node) ?? this.#number(node, values);
  }

  #limit({ variable, target, side, body }: LimitNode, values: Values<Real>): Complex<Real> {
    const sign = infinite(target);
    if (sign !== undefined)
      return this.#viaFixed((evaluate) => limitAtInfinity(evaluate, sign > 0 ? 1n : -1n), body, variable, values);
    const at = this.#toFixed(this.#value(target, values));
    return this.#viaFixed((evaluate) => limitAt(evaluate, at, side), body, variable, values);
  }

  #toFixed(value: Complex<Real>): bigint {
    return this.functions.isReal(value) ? fixedPoint.fromNumber(this.#reals.toNumber(value.re)) : fail();
  }

  /** Works on `body` as a real function of `variable`, in fixed point whatever this evaluator uses. */
  #viaFixed(
    operate: (evaluate: (x: bigint) => bigint) => bigint,
    body: MathNode,
    variable: string,
    values: Values<Real>,
  ): Complex<Real> {
    const precise = fixedEvaluator(this.#work);
    const fixed = new Map(
      [...values].map(([name, { re, im }]) => [name, { re: this.#exact(re), im: this.#exact(im) }]),
    );
    const result = operate((x) => {
      const value = precise.#value(body, new Map(fixed).set(variable, precise.functions.real(x)));
      return precise.functions.isReal(value) ? value.re : fail();
    });
    return this.functions.real(this.#reals.fromNumber(fixedPoint.toNumber(result)));
  }

  #exact(value: Real): bigint {
    return fixedPoint.fromNumber(this.#reals.toNumber(value));
  }
}

/** The sign of an infinite bound; undefined for a finite one. */
function infinite(node: MathNode): number | undefined {
  if (node.kind === "constant" && node.name === "infinity") return Infinity;
  const [first, second] = node.kind === "product" && node.items.length === 2 ? node.items : [];
  const isNegative = first?.kind === "number" && first.value.numerator === -1n;
  return isNegative && second?.kind === "constant" && second.name === "infinity" ? -Infinity : undefined;
}

export function doubleEvaluator(work: Work): Evaluator<number> {
  return new Evaluator(doubles, work, { node: 1, call: 1 });
}

export function fixedEvaluator(work: Work): Evaluator<bigint> {
  return new Evaluator(fixedPoint, work, { node: 2, call: 60 });
}
