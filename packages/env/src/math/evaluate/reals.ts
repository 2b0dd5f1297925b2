// Real numbers in two precisions behind one interface: doubles, and fixed point for what doubles cannot tell apart.
// Complex arithmetic and every function are written once, over this interface.
import type { Rational } from "../rational.ts";

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
  readonly from: (value: Rational) => Real;
  readonly add: (a: Real, b: Real) => Real;
  readonly subtract: (a: Real, b: Real) => Real;
  readonly multiply: (a: Real, b: Real) => Real;
  /** Fails for zero. */
  readonly divide: (a: Real, b: Real) => Real;
}
export interface Comparison<Real> {
  readonly sign: (value: Real) => -1 | 0 | 1;
  /** Forgiving: what is a hair below a whole number counts as that number. */
  readonly floor: (value: Real) => Real;
}
export interface Conversion<Real> {
  readonly toNumber: (value: Real) => number;
  /** Of a finite number. */
  readonly fromNumber: (value: number) => Real;
  /** To and from the representation of fixed-point.ts. */
  readonly toFixed: (value: Real) => bigint;
  readonly fromFixed: (value: bigint) => Real;
}
export interface Elementary<Real> {
  /** Of a value that is not negative. */
  readonly root: (value: Real, degree: number) => Real;
  readonly exponential: (value: Real) => Real;
  /** Of a positive value. */
  readonly logarithm: (value: Real) => Real;
  readonly sineAndCosine: (value: Real) => readonly [sine: Real, cosine: Real];
  /** The angle of the point (x, y), from -pi to pi. */
  readonly angle: (y: Real, x: Real) => Real;
}
export type Reals<Real> = Arithmetic<Real> &
  Comparison<Real> &
  Conversion<Real> &
  Elementary<Real> & { readonly pi: Real };
