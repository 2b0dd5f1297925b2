// Complex numbers over either kind of reals, with principal values. A real argument stays real wherever the result is.
import { fail, type Reals } from "./reals.ts";

export interface Complex<Real> {
  readonly re: Real;
  readonly im: Real;
}

export class ComplexArithmetic<Real> {
  readonly reals: Reals<Real>;
  readonly zero: Complex<Real>;
  readonly one: Complex<Real>;
  readonly i: Complex<Real>;
  readonly #none: Real;

  constructor(reals: Reals<Real>) {
    this.reals = reals;
    this.#none = reals.fromNumber(0);
    this.zero = this.fromInteger(0);
    this.one = this.fromInteger(1);
    this.i = { re: this.#none, im: this.one.re };
  }

  fromInteger(value: number): Complex<Real> {
    return this.real(this.reals.fromNumber(value));
  }

  real(value: Real): Complex<Real> {
    return { re: value, im: this.#none };
  }

  isReal(value: Complex<Real>): boolean {
    return this.reals.sign(value.im) === 0;
  }

  add(a: Complex<Real>, b: Complex<Real>): Complex<Real> {
    return { re: this.reals.add(a.re, b.re), im: this.reals.add(a.im, b.im) };
  }

  subtract(a: Complex<Real>, b: Complex<Real>): Complex<Real> {
    return { re: this.reals.subtract(a.re, b.re), im: this.reals.subtract(a.im, b.im) };
  }

  negate(a: Complex<Real>): Complex<Real> {
    return this.subtract(this.zero, a);
  }

  multiply(a: Complex<Real>, b: Complex<Real>): Complex<Real> {
    const { reals } = this;
    if (this.isReal(a) && this.isReal(b)) return { re: reals.multiply(a.re, b.re), im: a.im };
    return {
      re: reals.subtract(reals.multiply(a.re, b.re), reals.multiply(a.im, b.im)),
      im: reals.add(reals.multiply(a.re, b.im), reals.multiply(a.im, b.re)),
    };
  }

  invert(a: Complex<Real>): Complex<Real> {
    const { reals } = this;
    if (this.isReal(a)) return { re: reals.divide(this.one.re, a.re), im: a.im };
    const size = reals.add(reals.multiply(a.re, a.re), reals.multiply(a.im, a.im));
    return { re: reals.divide(a.re, size), im: reals.subtract(this.zero.re, reals.divide(a.im, size)) };
  }

  divide(a: Complex<Real>, b: Complex<Real>): Complex<Real> {
    return this.multiply(a, this.invert(b));
  }

  absolute(a: Complex<Real>): Real {
    const { reals } = this;
    if (this.isReal(a)) return reals.sign(a.re) < 0 ? reals.subtract(this.zero.re, a.re) : a.re;
    return reals.root(reals.add(reals.multiply(a.re, a.re), reals.multiply(a.im, a.im)), 2);
  }

  exponential(a: Complex<Real>): Complex<Real> {
    const size = this.reals.exponential(a.re);
    if (this.isReal(a)) return this.real(size);
    const [sine, cosine] = this.reals.sineAndCosine(a.im);
    return { re: this.reals.multiply(size, cosine), im: this.reals.multiply(size, sine) };
  }

  logarithm(a: Complex<Real>): Complex<Real> {
    const { reals } = this;
    if (this.isReal(a) && reals.sign(a.re) > 0) return this.real(reals.logarithm(a.re));
    const size = this.absolute(a);
    if (reals.sign(size) === 0) fail();
    return { re: reals.logarithm(size), im: reals.angle(a.im, a.re) };
  }

  /** By repeated squaring; the exponent is whole. */
  wholePower(base: Complex<Real>, exponent: number): Complex<Real> {
    let result = this.one;
    let square = base;
    for (let rest = Math.abs(exponent); rest > 0; rest = Math.floor(rest / 2)) {
      if (rest % 2 === 1) result = this.multiply(result, square);
      if (rest > 1) square = this.multiply(square, square);
    }
    return exponent < 0 ? this.invert(result) : result;
  }

  squareRoot(a: Complex<Real>): Complex<Real> {
    const { reals } = this;
    if (this.isReal(a)) {
      if (reals.sign(a.re) >= 0) return this.real(reals.root(a.re, 2));
      return { re: this.zero.re, im: reals.root(reals.subtract(this.zero.re, a.re), 2) };
    }
    return this.power(a, this.real(reals.divide(this.one.re, this.fromInteger(2).re)));
  }

  power(base: Complex<Real>, exponent: Complex<Real>): Complex<Real> {
    const { reals } = this;
    if (reals.sign(base.re) === 0 && this.isReal(base)) return reals.sign(exponent.re) > 0 ? this.zero : fail();
    return this.exponential(this.multiply(exponent, this.logarithm(base)));
  }
}
