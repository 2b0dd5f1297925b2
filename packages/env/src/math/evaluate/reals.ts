// Real numbers in two precisions behind one interface: doubles, and fixed point for what doubles cannot tell apart.
// Complex arithmetic and every function are written once, over this interface.
import { type Rational, toNumber } from "../rational.ts";

/** Thrown where an expression has no value: a division by zero, a logarithm of zero, text. Made once: throwing it is cheap. */
const noValue = new Error("The expression has no value here.");

export function fail(): never {
  throw noValue;
}

/** undefined where `compute` has no value. */
export function valueOf<T>(compute: () => T): T | undefined {
  try {
    return compute();
  } catch (error) {
    if (error === noValue) return undefined;
    throw error;
  }
}

export interface Arithmetic<Real> {
  from(value: Rational): Real;
  add(a: Real, b: Real): Real;
  subtract(a: Real, b: Real): Real;
  multiply(a: Real, b: Real): Real;
  /** Fails for zero. */
  divide(a: Real, b: Real): Real;
}
export interface Comparison<Real> {
  sign(value: Real): -1 | 0 | 1;
  toNumber(value: Real): number;
  /** Of a finite number. */
  fromNumber(value: number): Real;
  /** Forgiving: what is a hair below a whole number counts as that number. */
  floor(value: Real): Real;
}
export interface Elementary<Real> {
  /** Of a value that is not negative. */
  root(value: Real, degree: number): Real;
  exponential(value: Real): Real;
  /** Of a positive value. */
  logarithm(value: Real): Real;
  sineAndCosine(value: Real): readonly [sine: Real, cosine: Real];
  /** The angle of the point (x, y), from -pi to pi. */
  angle(y: Real, x: Real): Real;
}
export type Reals<Real> = Arithmetic<Real> & Comparison<Real> & Elementary<Real> & { readonly pi: Real };

export const doubles: Reals<number> = {
  pi: Math.PI,
  from: toNumber,
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  divide: (a, b) => (b === 0 ? fail() : a / b),
  sign: (value) => (value < 0 ? -1 : value > 0 ? 1 : 0),
  toNumber: (value) => value,
  fromNumber: (value) => value,
  floor: (value) => Math.floor(value + 1e-11 * Math.max(1, Math.abs(value))),
  root: (value, degree) => (degree === 2 ? Math.sqrt(value) : degree === 3 ? Math.cbrt(value) : value ** (1 / degree)),
  exponential: Math.exp,
  logarithm: Math.log,
  sineAndCosine: (value) => [Math.sin(value), Math.cos(value)],
  angle: Math.atan2,
};
