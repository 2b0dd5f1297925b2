// The real zeros and jumps of a function of one variable: exact where the function is a line or parabola, otherwise found numerically
// on a fixed grid, by changes of sign and by touching the axis.
import { type MathNode, numberNode } from "../ast.ts";
import type { Work } from "../bounds.ts";
import { curveEvaluator } from "../evaluate/evaluate.ts";
import { exactValue } from "../evaluate/exact.ts";
import * as rational from "../rational.ts";
import type { Rational } from "../rational.ts";
import type { Point } from "./real-set.ts";

export interface Zero extends Point<MathNode> {
  /** A pole or jump: the function changes sign without being zero. */
  readonly isJump: boolean;
}

export type RealFunction = (x: number) => number;

/** NaN where the value is not real. */
export function asFunction(node: MathNode, variable: string, work: Work): RealFunction {
  const doubles = curveEvaluator(work);
  return (x) => {
    const value = doubles.evaluate(node, new Map([[variable, { re: x, im: 0 }]]));
    if (value === undefined || Math.abs(value.im) > 1e-9 * Math.max(1, Math.abs(value.re))) return Number.NaN;
    return value.re;
  };
}

/** In ascending order. */
export function zerosOf(node: MathNode, variable: string, work: Work): Zero[] {
  const exact = zerosOfParabola(node, variable, work);
  if (exact !== undefined) return exact;
  const f = asFunction(node, variable, work);
  const xs = gridPoints();
  const ys = xs.map(f);
  const zeros: Zero[] = [];
  for (let index = 1; index < xs.length; index++) {
    const [a, b] = [xs[index - 1] ?? 0, xs[index] ?? 0];
    const [fa, fb] = [ys[index - 1] ?? Number.NaN, ys[index] ?? Number.NaN];
    if (fa * fb < 0) zeros.push(bisect(f, a, b, fa, fb));
    else if (Number.isNaN(fa) !== Number.isNaN(fb)) zeros.push(domainEnd(f, a, b, Number.isNaN(fa)));
    const touch = touching(f, xs, ys, index);
    if (touch !== undefined) zeros.push({ position: touch, node: undefined, isJump: false });
  }
  return zeros.sort((a, b) => a.position - b.position);
}

/** Zeros of a line or parabola with exact coefficients; undefined for any other function, and for a constant. */
function zerosOfParabola(node: MathNode, variable: string, work: Work): Zero[] | undefined {
  const values: Rational[] = [];
  for (const x of [0, 1, 2, 3, -7]) {
    const value = exactValue(node, work, new Map([[variable, rational.integer(x)]]));
    if (value === undefined) return undefined;
    values.push(value);
  }
  const [c = rational.zero, atOne = c, atTwo = c, atThree = c, atOther = c] = values;
  const minus = (x: Rational, y: Rational): Rational => rational.add(x, rational.negate(y));
  const times = (x: Rational, factor: number): Rational => rational.multiply(x, rational.integer(factor));
  // f(2) - 2 f(1) + f(0) = 2a, f(1) - f(0) = a + b.
  const a = rational.multiply(rational.add(minus(atTwo, times(atOne, 2)), c), { numerator: 1n, denominator: 2n });
  const b = minus(minus(atOne, c), a);
  const at = (x: number): Rational => rational.add(times(rational.add(times(a, x), b), x), c);
  if (!rational.equals(at(3), atThree) || !rational.equals(at(-7), atOther)) return undefined;
  if (a.numerator === 0n) return b.numerator === 0n ? undefined : [exactZero(rational.negate(c), b)];
  return zerosOfQuadratic(a, b, minus(rational.multiply(b, b), times(rational.multiply(a, c), 4)));
}

function exactZero(above: Rational, below: Rational): Zero {
  const value = rational.multiply(above, rational.invert(below) ?? rational.zero);
  return { position: rational.toNumber(value), node: numberNode(value), isJump: false };
}

/** (-b +- sqrt d) / 2a; a node only where it is a fraction. */
function zerosOfQuadratic(a: Rational, b: Rational, discriminant: Rational): Zero[] {
  if (discriminant.numerator < 0n) return [];
  const doubled = rational.multiply(a, rational.integer(2));
  const above = rational.exactRoot(discriminant.numerator, 2);
  const below = rational.exactRoot(discriminant.denominator, 2);
  if (discriminant.numerator === 0n) return [exactZero(rational.negate(b), doubled)];
  const signs = a.numerator > 0n ? [-1, 1] : [1, -1];
  if (above !== undefined && below !== undefined)
    return signs.map((sign) =>
      exactZero(rational.add(rational.negate(b), { numerator: BigInt(sign) * above, denominator: below }), doubled),
    );
  const [p, q, root] = [rational.toNumber(b), rational.toNumber(doubled), Math.sqrt(rational.toNumber(discriminant))];
  return signs.map((sign) => ({ position: (-p + sign * root) / q, node: undefined, isJump: false }));
}

/** Dense near zero, thinner further out, and off round numbers so that a pole there is not hit. */
function gridPoints(): number[] {
  const points: number[] = [];
  for (let step = -80; step <= 80; step++) {
    points.push(step / 4 + 0.00713);
    const exponent = step / 5;
    points.push(Math.sign(exponent) * Math.expm1(Math.abs(exponent)) + 0.0137);
  }
  return points.sort((a, b) => a - b);
}

function bisect(f: RealFunction, from: number, to: number, atFrom: number, atTo: number): Zero {
  let [a, b, fa, fb] = [from, to, atFrom, atTo];
  for (let step = 0; step < 60 && b - a > 1e-15 * Math.max(1, Math.abs(a)); step++) {
    const middle = (a + b) / 2;
    const value = f(middle);
    if (value === 0) return { position: middle, node: undefined, isJump: false };
    if (fa * value < 0) [b, fb] = [middle, value];
    else [a, fa] = [middle, value];
  }
  const isJump = Math.min(Math.abs(fa), Math.abs(fb)) > 1e-6 * (1 + Math.min(Math.abs(atFrom), Math.abs(atTo)));
  return { position: (a + b) / 2, node: undefined, isJump };
}

/** Where the values stop being real: often a zero itself, as of a square root. */
function domainEnd(f: RealFunction, from: number, to: number, isLeftOutside: boolean): Zero {
  let [a, b] = [from, to];
  for (let step = 0; step < 60; step++) {
    const middle = (a + b) / 2;
    if (Number.isNaN(f(middle)) === isLeftOutside) a = middle;
    else b = middle;
  }
  const inside = f(isLeftOutside ? b : a);
  return { position: (a + b) / 2, node: undefined, isJump: !(Math.abs(inside) < 1e-6) };
}

/** A zero without a change of sign, around the grid point before `index`. */
function touching(f: RealFunction, xs: readonly number[], ys: readonly number[], index: number): number | undefined {
  const [left, middle, right] = [ys[index - 2], ys[index - 1], ys[index]].map((y) => Math.abs(y ?? Number.NaN));
  const sameSign = Math.sign(ys[index - 2] ?? 0) === Math.sign(ys[index] ?? 0);
  if (
    !(
      left !== undefined &&
      middle !== undefined &&
      right !== undefined &&
      sameSign &&
      middle <= left &&
      middle <= right
    )
  )
    return undefined;
  if (!Number.isFinite(middle) || middle > 0.5 * Math.max(left, right)) return undefined;
  let [a, b] = [xs[index - 2] ?? 0, xs[index] ?? 0];
  for (let step = 0; step < 60; step++) {
    const third = (b - a) / 3;
    if (Math.abs(f(a + third)) < Math.abs(f(b - third))) b -= third;
    else a += third;
  }
  const lowest = (a + b) / 2;
  return Math.abs(f(lowest)) <= 1e-10 * Math.max(left, right, 1e-3) ? lowest : undefined;
}
