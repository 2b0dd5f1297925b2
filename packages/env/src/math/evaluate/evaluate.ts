// The value of an expression for given values of its names, in doubles or in fixed point.
// undefined: no value there (a pole, a logarithm of zero), or none at all (text, sets).
import type { MathNode, PiecewiseNode } from "../ast.ts";
import type { Work } from "../bounds.ts";
import { isInteger } from "../rational.ts";
import { derivativeValue, integralValue, limitValue, seriesValue } from "./calculus.ts";
import type { Complex } from "./complex.ts";
import { conditionHolds } from "./condition.ts";
import { doubles, strictDoubles } from "./doubles.ts";
import { fixedPoint } from "./fixed-point.ts";
import { Functions } from "./functions.ts";
import { fail, type Reals, valueOf } from "./reals.ts";

export type Values<Real> = ReadonlyMap<string, Complex<Real>>;

/** Units of work for a node and for a function. */
interface Price {
  readonly node: number;
  readonly call: number;
}

export class Evaluator<Real> {
  readonly functions: Functions<Real>;
  readonly reals: Reals<Real>;
  readonly work: Work;
  readonly #price: Price;

  constructor(reals: Reals<Real>, work: Work, price: Price) {
    this.reals = reals;
    this.work = work;
    this.#price = price;
    this.functions = new Functions(reals);
  }

  evaluate(node: MathNode, values: Values<Real>): Complex<Real> | undefined {
    return valueOf(() => this.value(node, values));
  }

  /** Fails where there is no value: see reals.ts. */
  value(node: MathNode, values: Values<Real>): Complex<Real> {
    this.work.spend(this.#price.node);
    const { functions } = this;
    switch (node.kind) {
      case "number":
        return functions.real(this.reals.from(node.value));
      case "constant":
        return this.#constant(node.name);
      case "symbol":
        return values.get(node.name) ?? fail();
      case "sum":
        return this.#all(node.items, values).reduce((a, b) => functions.add(a, b));
      case "product":
        return this.#all(node.items, values).reduce((a, b) => functions.multiply(a, b));
      case "percent":
        return functions.divide(this.value(node.value, values), functions.fromInteger(100));
      case "degrees":
        return this.value(node.value, values);
      case "power":
        return this.#power(node.base, node.exponent, values);
      case "call":
        this.work.spend(this.#price.call);
        return functions.call(node.name, this.#all(node.items, values));
      case "apply":
        return this.#unknown(node.name, node.items, values);
      case "ratio":
        return this.#ratio(node.items, values);
      case "piecewise":
        return this.#piecewise(node, values);
      case "matrix":
        return node.isDeterminant ? this.#determinant(node.rows.map((row) => this.#all(row, values))) : fail();
      case "series":
        return seriesValue(this, node, values);
      case "integral":
        return integralValue(this, node, values);
      case "limit":
        return limitValue(this, node, values);
      case "derivative":
        return derivativeValue(this, node, values);
      case "text":
      case "tuple":
      case "set":
      case "list":
      case "set-builder":
      case "set-operation":
      case "number-set":
      case "plus-minus":
      case "relation":
      case "logic":
        return fail();
    }
  }

  /** As a double; NaN when it is not real. */
  number(node: MathNode, values: Values<Real>): number {
    const value = this.value(node, values);
    return this.functions.isReal(value) ? this.reals.toNumber(value.re) : Number.NaN;
  }

  #all(nodes: readonly MathNode[], values: Values<Real>): Complex<Real>[] {
    return nodes.map((node) => this.value(node, values));
  }

  #constant(name: "pi" | "e" | "i" | "infinity"): Complex<Real> {
    switch (name) {
      case "pi":
        return this.functions.real(this.reals.pi);
      case "e":
        this.work.spend(this.#price.call);
        return this.functions.real(this.reals.exponential(this.functions.one.re));
      case "i":
        return this.functions.i;
      case "infinity":
        return fail();
    }
  }

  /** Whole and fractional exponents by multiplying and taking roots. */
  #power(baseNode: MathNode, exponentNode: MathNode, values: Values<Real>): Complex<Real> {
    const { functions } = this;
    if (baseNode.kind === "constant" && baseNode.name === "e") {
      this.work.spend(this.#price.call);
      return functions.exponential(this.value(exponentNode, values));
    }
    const base = this.value(baseNode, values);
    if (exponentNode.kind === "number") {
      const { numerator, denominator } = exponentNode.value;
      const isSmall = numerator <= 2000n && numerator >= -2000n && denominator <= 64n;
      if (isSmall && isInteger(exponentNode.value)) return functions.wholePower(base, Number(numerator));
      if (isSmall && functions.isReal(base)) return this.#rootPower(base, Number(numerator), Number(denominator));
    }
    const exponent = this.value(exponentNode, values);
    const whole = this.#wholeNumber(exponent);
    if (whole !== undefined) return functions.wholePower(base, whole);
    this.work.spend(2 * this.#price.call);
    return functions.power(base, exponent);
  }

  #wholeNumber(value: Complex<Real>): number | undefined {
    if (!this.functions.isReal(value)) return undefined;
    const number = this.reals.toNumber(value.re);
    return Number.isInteger(number) && Math.abs(number) <= 2000 ? number : undefined;
  }

  /** An odd root of a negative number is negative. */
  #rootPower(base: Complex<Real>, numerator: number, degree: number): Complex<Real> {
    const { functions, reals } = this;
    this.work.spend(this.#price.call);
    if (reals.sign(base.re) >= 0) return functions.wholePower(functions.real(reals.root(base.re, degree)), numerator);
    if (degree === 2) return functions.wholePower(functions.squareRoot(base), numerator);
    const size = functions.negate(base).re;
    const root =
      degree % 2 === 1
        ? functions.negate(functions.real(reals.root(size, degree)))
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
    for (const { re, im } of this.#all(items, values))
      for (const part of [re, im]) {
        const number = this.reals.toNumber(part);
        mix(Math.abs(number) < 1e-9 ? "0" : number.toPrecision(9));
      }
    return this.functions.real(this.reals.fromNumber(0.5 + ((hash >>> 0) % 131071) / 65536));
  }

  #ratio(items: readonly MathNode[], values: Values<Real>): Complex<Real> {
    const [above, below] = items;
    if (items.length !== 2 || above === undefined || below === undefined) return fail();
    return this.functions.divide(this.value(above, values), this.value(below, values));
  }

  #piecewise(node: PiecewiseNode, values: Values<Real>): Complex<Real> {
    for (const { value, condition } of node.branches) {
      const isMet = condition === undefined || conditionHolds(condition, (part) => this.number(part, values));
      if (isMet) return this.value(value, values);
    }
    return fail();
  }

  /** By the first row. Only small ones: the cost is the factorial of the size. */
  #determinant(rows: readonly (readonly Complex<Real>[])[]): Complex<Real> {
    const { functions } = this;
    const [first = [], ...rest] = rows;
    if (rows.length > 5 || rows.some((row) => row.length !== rows.length)) return fail();
    this.work.spend(this.#price.node);
    if (rest.length === 0) return first[0] ?? fail();
    return first
      .map((cell, column) => {
        const minor = rest.map((row) => row.filter((_, index) => index !== column));
        const value = functions.multiply(cell, this.#determinant(minor));
        return column % 2 === 0 ? value : functions.negate(value);
      })
      .reduce((a, b) => functions.add(a, b));
  }
}

/** For equality. */
export function doubleEvaluator(work: Work): Evaluator<number> {
  return new Evaluator(strictDoubles, work, { node: 1, call: 1 });
}

/** For curves: their zeros and signs. */
export function curveEvaluator(work: Work): Evaluator<number> {
  return new Evaluator(doubles, work, { node: 1, call: 1 });
}

export function fixedEvaluator(work: Work): Evaluator<bigint> {
  return new Evaluator(fixedPoint, work, { node: 2, call: 60 });
}
