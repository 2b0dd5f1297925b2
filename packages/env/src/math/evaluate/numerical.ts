// What is only reached in the limit: definite integrals by quadrature, limits, derivatives and endless sums from values close by.
// The latter three work on fixed-point values, whose 77 digits leave room for steps far below the precision of a double.
import { fail, valueOf } from "./reals.ts";
import { isSameFixed } from "./fixed-point.ts";

/** tanh-sinh quadrature: the end points may be singular or infinite. */
export function integrate(f: (x: number) => number, from: number, to: number): number {
  if (from === to) return 0;
  if (from > to) return -integrate(f, to, from);
  if (from === -Infinity && to === Infinity) return integrate(f, -Infinity, 0) + integrate(f, 0, Infinity);
  if (from === -Infinity) return integrate((x) => f(-x), -to, Infinity);
  if (to === Infinity) return halfLine(f, from);
  const middle = (from + to) / 2;
  const half = (to - from) / 2;
  return quadrature(
    (position, toEnd) => f(edge(from, to, middle + half * position, half * toEnd, position)),
    (weight) => half * weight,
  );
}

/** Close to an end, measured from that end, so that no digits are lost. */
function edge(from: number, to: number, point: number, distance: number, position: number): number {
  return position < -0.5 ? from + distance : position > 0.5 ? to - distance : point;
}

const step = 1 / 12;
const reach = 42;

/** Sums f at tanh(pi/2 sinh t); `toEnd` is one minus the absolute position. */
function quadrature(f: (position: number, toEnd: number) => number, scale: (weight: number) => number): number {
  let total = 0;
  for (let index = -reach; index <= reach; index++) {
    const t = index * step;
    const u = (Math.PI / 2) * Math.sinh(t);
    const toEnd = 1 / (Math.exp(Math.abs(u)) * Math.cosh(u));
    const weight = ((Math.PI / 2) * Math.cosh(t)) / Math.cosh(u) ** 2;
    if (toEnd < 1e-280 || weight < 1e-280) continue;
    const value = f(Math.tanh(u), toEnd);
    if (Number.isFinite(value)) total += value * scale(weight) * step;
  }
  return total;
}

/** x = from + e^(pi/2 sinh t). */
function halfLine(f: (x: number) => number, from: number): number {
  let total = 0;
  for (let index = -reach; index <= reach; index++) {
    const t = index * step;
    const distance = Math.exp((Math.PI / 2) * Math.sinh(t));
    const weight = (Math.PI / 2) * Math.cosh(t) * distance;
    if (distance > 1e100 || distance < 1e-100) continue;
    const value = f(from + distance);
    if (Number.isFinite(value)) total += value * weight * step;
  }
  return total;
}

type Fixed = (x: bigint) => bigint;
const one = 1n << 256n;
const near = one >> 64n;
const far = one << 64n;
const nearer = one >> 70n;

export type Side = "both" | "above" | "below";

/** The value next to `target`; fails when the two sides differ. */
export function limitAt(f: Fixed, target: bigint, side: Side): bigint {
  if (side !== "both") return f(side === "above" ? target + near : target - near);
  const above = f(target + near);
  return isClose(above, f(target - near)) ? above : fail();
}

/** Very far out; where that has no value, as for e^x, the values of 1024 and 2048 have to agree. */
export function limitAtInfinity(f: Fixed, sign: 1n | -1n): bigint {
  const value = valueOf(() => f(sign * far));
  if (value !== undefined) return value;
  const last = f(sign * (one << 11n));
  return isClose(last, f(sign * (one << 10n))) ? last : fail();
}

function isClose(a: bigint, b: bigint): boolean {
  const distance = a > b ? a - b : b - a;
  const size = a < 0n ? -a : a;
  return distance <= (size > one ? size : one) >> 40n;
}

export function derivativeAt(f: Fixed, x: bigint): bigint {
  return (f(x + nearer) - f(x - nearer)) << 69n;
}

/** Levin's u transform of the partial sums. Fails when more terms do not settle it. */
export function endlessSum(term: (index: number) => bigint): bigint {
  const terms: bigint[] = [];
  const sums: bigint[] = [];
  for (let index = 0; index < 34; index++) {
    const value = term(index);
    terms.push(value);
    sums.push((sums.at(-1) ?? 0n) + value);
  }
  const [beforeLast, last] = [sums.at(-2) ?? 0n, sums.at(-1) ?? 0n];
  if (isSameFixed(beforeLast, last)) return last;
  const short = levin(terms, sums, 26);
  const long = levin(terms, sums, 32);
  return isClose(short, long) ? long : fail();
}

function levin(terms: readonly bigint[], sums: readonly bigint[], order: number): bigint {
  let above = 0n;
  let below = 0n;
  let binomial = 1n;
  for (let index = 0; index <= order; index++) {
    const place = BigInt(index + 1);
    const term = terms[index] ?? 0n;
    if (term === 0n) fail();
    const sign = index % 2 === 0 ? 1n : -1n;
    const weight =
      (sign * binomial * ((place ** BigInt(order - 2)) << 512n)) / (BigInt(order + 1) ** BigInt(order - 2) * term);
    above += (weight * (sums[index] ?? 0n)) >> 256n;
    below += weight;
    binomial = (binomial * BigInt(order - index)) / place;
  }
  return below === 0n ? fail() : (above << 256n) / below;
}
