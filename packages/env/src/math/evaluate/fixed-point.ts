// Real numbers with 256 binary digits after the point, about 77 decimal ones. The last dozen of them are lost to rounding;
// callers compare 48. Values beyond 2^4096 fail, so that every operation has a small, fixed cost.
import { bitLength, floorRoot, type Rational } from "../rational.ts";
import { fail, type Reals } from "./reals.ts";

const bits = 256n;
const unit = 1n << bits;
const largest = 1n << (bits + 4096n);

function checked(value: bigint): bigint {
  return value > largest || value < -largest ? fail() : value;
}

/** Shifting rounds down, division towards zero; either error is one unit in the last place. */
function multiply(a: bigint, b: bigint): bigint {
  return checked((a * b) >> bits);
}

function divide(a: bigint, b: bigint): bigint {
  return b === 0n ? fail() : checked((a << bits) / b);
}

function from({ numerator, denominator }: Rational): bigint {
  if (bitLength(numerator) > 8192) fail();
  return checked((numerator << bits) / denominator);
}

function root(value: bigint, degree: number): bigint {
  if (degree > 64) return exponential(logarithm(value) / BigInt(degree));
  return floorRoot(value << (bits * BigInt(degree - 1)), degree);
}

/** e^x: halve x until it is small, sum the series, square back. */
function exponential(value: bigint): bigint {
  if (value > 2800n << bits) fail();
  if (value < -(2800n << bits)) return 0n;
  const turns = value / ln2;
  const rest = value - turns * ln2;
  const halvings = 12n;
  const guard = 32n;
  const small = (rest << guard) >> halvings;
  let term = unit << guard;
  let sum = term;
  for (let index = 1n; term !== 0n; index++) {
    term = (term * small) / (index << (bits + guard));
    sum += term;
  }
  for (let step = 0n; step < halvings; step++) sum = (sum * sum) >> (bits + guard);
  const result = sum >> guard;
  return turns >= 0n ? checked(result << turns) : result >> -turns;
}

/** ln x: divide by a power of two, take four square roots, sum the series of artanh. */
function logarithm(value: bigint): bigint {
  if (value <= 0n) fail();
  const exponent = BigInt(value.toString(2).length) - bits - 1n;
  let mantissa = exponent >= 0n ? value >> exponent : value << -exponent;
  const roots = 4n;
  for (let step = 0n; step < roots; step++) mantissa = root(mantissa, 2);
  return exponent * ln2 + (artanhSeries(((mantissa - unit) << bits) / (mantissa + unit)) << (roots + 1n));
}

function artanhSeries(value: bigint): bigint {
  const square = (value * value) >> bits;
  let power = value;
  let sum = value;
  for (let index = 3n; power !== 0n && power !== -1n; index += 2n) {
    power = (power * square) >> bits;
    sum += power / index;
  }
  return sum;
}

/** Of the inverse of a whole number. */
function arctanOfInverse(inverse: bigint): bigint {
  const square = inverse * inverse;
  let power = unit / inverse;
  let sum = power;
  for (let index = 3n, sign = -1n; power !== 0n; index += 2n, sign = -sign) {
    power /= square;
    sum += (sign * power) / index;
  }
  return sum;
}

/** ln 2 = 2 artanh(1/3). */
const ln2 = artanhSeries(unit / 3n) * 2n;
/** Machin's formula. */
const pi = (arctanOfInverse(5n) * 4n - arctanOfInverse(239n)) * 4n;

/** Reduced to half a quarter turn; halved, summed and doubled back. */
function sineAndCosine(value: bigint): readonly [bigint, bigint] {
  const quarter = pi / 2n;
  const quarters = roundedQuotient(value, quarter);
  if (quarters > 1n << 128n || quarters < -(1n << 128n)) fail();
  const halvings = 8n;
  const rest = (value - quarters * quarter) >> halvings;
  const square = (rest * rest) >> bits;
  let sine = rest;
  let cosine = unit;
  let term = rest;
  let even = unit;
  for (let index = 1n; term !== 0n && term !== -1n; index += 2n) {
    even = -((even * square) >> bits) / (index * (index + 1n));
    term = -((term * square) >> bits) / ((index + 1n) * (index + 2n));
    cosine += even;
    sine += term;
  }
  for (let step = 0n; step < halvings; step++)
    [sine, cosine] = [(2n * sine * cosine) >> bits, (cosine * cosine - sine * sine) >> bits];
  switch (((quarters % 4n) + 4n) % 4n) {
    case 0n:
      return [sine, cosine];
    case 1n:
      return [cosine, -sine];
    case 2n:
      return [-sine, -cosine];
    default:
      return [-cosine, sine];
  }
}

function roundedQuotient(a: bigint, b: bigint): bigint {
  const doubled = 2n * a + (a < 0n ? -b : b);
  return doubled / (2n * b);
}

/** Halved with arctan x = 2 arctan(x / (1 + sqrt(1 + x^2))) until the series is short. */
function arctan(value: bigint): bigint {
  if (value > unit || value < -unit) {
    const rest = arctan((unit << bits) / value);
    return (value > 0n ? pi / 2n : -(pi / 2n)) - rest;
  }
  let reduced = value;
  const halvings = 6n;
  for (let step = 0n; step < halvings; step++) {
    const length = root(unit + ((reduced * reduced) >> bits), 2);
    reduced = (reduced << bits) / (unit + length);
  }
  const square = (reduced * reduced) >> bits;
  let power = reduced;
  let sum = reduced;
  for (let index = 3n; power !== 0n && power !== -1n; index += 2n) {
    power = -((power * square) >> bits);
    sum += power / index;
  }
  return sum << halvings;
}

function angle(y: bigint, x: bigint): bigint {
  if (x === 0n && y === 0n) fail();
  if (x === 0n) return y > 0n ? pi / 2n : -(pi / 2n);
  const base = arctan((y << bits) / x);
  if (x > 0n) return base;
  return y >= 0n ? base + pi : base - pi;
}

/** Far more digits than a double has, exact when it is one. */
function toDouble(value: bigint): number {
  const shift = BigInt(Math.max(0, bitLength(value) - 1000));
  return (
    (Number(value >> shift) / Number(unit >> (shift < bits ? shift : bits))) *
    (shift > bits ? 2 ** Number(shift - bits) : 1)
  );
}

/** To 60 binary digits after the point: more than the points that are sampled have. */
function fromDouble(value: number): bigint {
  if (Number.isInteger(value)) return checked(BigInt(value) << bits);
  if (!Number.isFinite(value)) return fail();
  return checked((BigInt(Math.round(value * 2 ** 60)) << bits) >> 60n);
}

export const fixedPoint: Reals<bigint> = {
  pi,
  from,
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply,
  divide,
  sign: (value) => (value < 0n ? -1 : value > 0n ? 1 : 0),
  toNumber: toDouble,
  fromNumber: fromDouble,
  toFixed: (value) => value,
  fromFixed: (value) => value,
  floor: (value) => ((value + (1n << 64n)) >> bits) << bits,
  root,
  exponential,
  logarithm,
  sineAndCosine,
  angle,
};

/** The same to 48 decimal digits, relative to the larger but never to less than one. */
export function isSameFixed(a: bigint, b: bigint): boolean {
  const distance = a > b ? a - b : b - a;
  const size = [a < 0n ? -a : a, b < 0n ? -b : b, unit].reduce((largest, value) => (value > largest ? value : largest));
  return distance <= size >> 160n;
}
