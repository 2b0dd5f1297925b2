// The functions that have a value, over either kind of reals. Principal values; whole-number functions only of whole numbers.
import { type Complex, ComplexArithmetic } from "./complex.ts";
import { fail, type Reals } from "./reals.ts";

export class Functions<Real> extends ComplexArithmetic<Real> {
  readonly #half: Complex<Real>;

  constructor(reals: Reals<Real>) {
    super(reals);
    this.#half = this.invert(this.fromInteger(2));
  }

  call(name: string, items: readonly Complex<Real>[]): Complex<Real> {
    const [x = this.zero, second] = items;
    switch (name) {
      case "sin":
        return this.#sine(x);
      case "cos":
        return this.#cosine(x);
      case "tan":
        return this.divide(this.#sine(x), this.#cosine(x));
      case "cot":
        return this.divide(this.#cosine(x), this.#sine(x));
      case "sec":
        return this.invert(this.#cosine(x));
      case "csc":
        return this.invert(this.#sine(x));
      case "arcsin":
        return this.#arcsine(x);
      case "arccos":
        return this.subtract(this.#quarterTurn(), this.#arcsine(x));
      case "arctan":
        return this.#arctangent(x);
      case "arccot":
        return this.#arctangent(this.invert(x));
      case "arcsec":
        return this.subtract(this.#quarterTurn(), this.#arcsine(this.invert(x)));
      case "arccsc":
        return this.#arcsine(this.invert(x));
      case "ln":
      case "log":
        return this.logarithm(x);
      case "log-base":
        return this.divide(this.logarithm(x), this.logarithm(second ?? fail()));
      case "abs":
        return this.real(this.absolute(x));
      case "Re":
        return this.real(x.re);
      case "Im":
        return this.real(x.im);
      case "arg":
        return this.real(this.reals.angle(x.im, x.re));
      default:
        return this.#hyperbolic(name, x) ?? this.#ofReals(name, items);
    }
  }

  #quarterTurn(): Complex<Real> {
    return this.multiply(this.real(this.reals.pi), this.#half);
  }

  #sine(x: Complex<Real>): Complex<Real> {
    if (this.isReal(x)) return this.real(this.reals.sineAndCosine(x.re)[0]);
    const turned = this.multiply(this.i, x);
    const difference = this.subtract(this.exponential(turned), this.exponential(this.negate(turned)));
    return this.divide(difference, this.multiply(this.fromInteger(2), this.i));
  }

  #cosine(x: Complex<Real>): Complex<Real> {
    if (this.isReal(x)) return this.real(this.reals.sineAndCosine(x.re)[1]);
    const turned = this.multiply(this.i, x);
    return this.multiply(this.#half, this.add(this.exponential(turned), this.exponential(this.negate(turned))));
  }

  /** Real inside [-1, 1]; -i ln(ix + sqrt(1 - x^2)) elsewhere. */
  #arcsine(x: Complex<Real>): Complex<Real> {
    const rest = this.subtract(this.one, this.multiply(x, x));
    if (this.isReal(x) && this.reals.sign(rest.re) >= 0)
      return this.real(this.reals.angle(x.re, this.reals.root(rest.re, 2)));
    const logarithm = this.logarithm(this.add(this.multiply(this.i, x), this.squareRoot(rest)));
    return this.negate(this.multiply(this.i, logarithm));
  }

  #arctangent(x: Complex<Real>): Complex<Real> {
    if (this.isReal(x)) return this.real(this.reals.angle(x.re, this.one.re));
    const turned = this.multiply(this.i, x);
    const logarithm = this.subtract(
      this.logarithm(this.add(this.one, turned)),
      this.logarithm(this.subtract(this.one, turned)),
    );
    return this.divide(logarithm, this.multiply(this.fromInteger(2), this.i));
  }

  #hyperbolic(name: string, x: Complex<Real>): Complex<Real> | undefined {
    switch (name) {
      case "sinh":
        return this.#even(x, -1);
      case "cosh":
        return this.#even(x, 1);
      case "tanh":
        return this.divide(this.#even(x, -1), this.#even(x, 1));
      case "coth":
        return this.divide(this.#even(x, 1), this.#even(x, -1));
      case "sech":
        return this.invert(this.#even(x, 1));
      case "csch":
        return this.invert(this.#even(x, -1));
      case "arsinh":
        return this.logarithm(this.add(x, this.squareRoot(this.add(this.multiply(x, x), this.one))));
      case "arcosh":
        return this.logarithm(this.add(x, this.squareRoot(this.subtract(this.multiply(x, x), this.one))));
      case "artanh": {
        const quotient = this.divide(this.add(this.one, x), this.subtract(this.one, x));
        return this.multiply(this.#half, this.logarithm(quotient));
      }
      default:
        return undefined;
    }
  }

  /** (e^x + sign e^-x) / 2. */
  #even(x: Complex<Real>, sign: 1 | -1): Complex<Real> {
    const up = this.exponential(x);
    const down = this.exponential(this.negate(x));
    return this.multiply(this.#half, sign === 1 ? this.add(up, down) : this.subtract(up, down));
  }

  #ofReals(name: string, items: readonly Complex<Real>[]): Complex<Real> {
    const { reals } = this;
    const values = items.map((item) => (this.isReal(item) ? item.re : fail()));
    const [x = this.zero.re, second = this.one.re] = values;
    switch (name) {
      case "floor":
        return this.real(reals.floor(x));
      case "ceil":
        return this.negate(this.real(reals.floor(reals.subtract(this.zero.re, x))));
      case "sgn":
        return this.fromInteger(reals.sign(x));
      case "max":
      case "min": {
        const wanted = name === "max" ? 1 : -1;
        return this.real(values.reduce((a, b) => (reals.sign(reals.subtract(b, a)) === wanted ? b : a)));
      }
      case "mod":
        return this.real(reals.subtract(x, reals.multiply(second, reals.floor(reals.divide(x, second)))));
      case "factorial":
        return this.#descending(x, this.#whole(x));
      case "binomial": {
        const chosen = this.#whole(second);
        return this.divide(this.#descending(x, chosen), this.#descending(second, chosen));
      }
      default:
        return fail();
    }
  }

  /** x (x - 1) (x - 2) ..., `count` factors. */
  #descending(x: Real, count: number): Complex<Real> {
    let result = this.one.re;
    for (let step = 0; step < count; step++)
      result = this.reals.multiply(result, this.reals.subtract(x, this.reals.fromNumber(step)));
    return this.real(result);
  }

  #whole(value: Real): number {
    const number = this.reals.toNumber(value);
    const nearest = Math.round(number);
    return Math.abs(number - nearest) < 1e-9 && nearest >= 0 && nearest <= 170 ? nearest : fail();
  }
}
