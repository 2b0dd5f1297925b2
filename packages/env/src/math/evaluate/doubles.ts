// Real numbers as doubles: fast, about 15 digits.
import { toNumber } from "../rational.ts";
import { fixedPoint } from "./fixed-point.ts";
import { fail, type Reals } from "./reals.ts";

/** For curves: what is too small for a double is zero. */
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
  toFixed: fixedPoint.fromNumber,
  fromFixed: fixedPoint.toNumber,
  floor: (value) => Math.floor(value + 1e-11 * Math.max(1, Math.abs(value))),
  root: (value, degree) => (degree === 2 ? Math.sqrt(value) : degree === 3 ? Math.cbrt(value) : value ** (1 / degree)),
  exponential: Math.exp,
  logarithm: Math.log,
  sineAndCosine: (value) => [Math.sin(value), Math.cos(value)],
  angle: Math.atan2,
};

/** For equality: what is too small has no value, or two tiny numbers would both be zero and so equal. */
export const strictDoubles: Reals<number> = {
  ...doubles,
  multiply: (a, b) => (a === 0 || b === 0 ? 0 : notVanished(a * b)),
  divide: (a, b) => (b === 0 ? fail() : a === 0 ? 0 : notVanished(a / b)),
  exponential: (value) => notVanished(Math.exp(value)),
};

function notVanished(value: number): number {
  return value === 0 ? fail() : value;
}
