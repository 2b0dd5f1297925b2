// Exact fractions on BigInt. Invariants: the denominator is positive and shares no divisor with the numerator.

export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export const zero: Rational = { numerator: 0n, denominator: 1n };
export const one: Rational = { numerator: 1n, denominator: 1n };

export function integer(value: bigint | number): Rational {
  return { numerator: BigInt(value), denominator: 1n };
}

/** undefined when the denominator is zero. */
export function fraction(numerator: bigint, denominator: bigint): Rational | undefined {
  if (denominator === 1n) return { numerator, denominator };
  if (denominator === 0n) return undefined;
  const sign = denominator < 0n ? -1n : 1n;
  const divisor = gcd(numerator, denominator) * sign;
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}

/** For denominators known not to be zero. */
function reduced(numerator: bigint, denominator: bigint): Rational {
  return fraction(numerator, denominator) ?? zero;
}

export function gcd(a: bigint, b: bigint): bigint {
  let x = absolute(a);
  let y = absolute(b);
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

export function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

export function isInteger(value: Rational): boolean {
  return value.denominator === 1n;
}

export function equals(a: Rational, b: Rational): boolean {
  return a.numerator === b.numerator && a.denominator === b.denominator;
}

export function compare(a: Rational, b: Rational): -1 | 0 | 1 {
  return signOf(a.numerator * b.denominator - b.numerator * a.denominator);
}

export function signOf(value: bigint): -1 | 0 | 1 {
  return value < 0n ? -1 : value > 0n ? 1 : 0;
}

export function negate(value: Rational): Rational {
  return { numerator: -value.numerator, denominator: value.denominator };
}

export function add(a: Rational, b: Rational): Rational {
  if (a.denominator === b.denominator) return reduced(a.numerator + b.numerator, a.denominator);
  return reduced(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
}

export function multiply(a: Rational, b: Rational): Rational {
  return reduced(a.numerator * b.numerator, a.denominator * b.denominator);
}

/** undefined for zero. */
export function invert(value: Rational): Rational | undefined {
  return fraction(value.denominator, value.numerator);
}

/** Exponent not negative. The result needs no reducing. */
export function power(base: Rational, exponent: bigint): Rational {
  return { numerator: base.numerator ** exponent, denominator: base.denominator ** exponent };
}

export function floor(value: Rational): bigint {
  const quotient = value.numerator / value.denominator;
  return value.numerator % value.denominator < 0n ? quotient - 1n : quotient;
}

/** To the nearest multiple of 10^-digits, halves away from zero, counted in those units. */
export function roundedUnits(value: Rational, digits: number): bigint {
  const scaled = value.numerator * 10n ** BigInt(digits) * 2n;
  const half = value.numerator < 0n ? -value.denominator : value.denominator;
  return (scaled + half) / (value.denominator * 2n);
}

/** Bits of the longer part; exact above 64, "64" for anything shorter: it only prices work. */
export function bitsOf(value: Rational): number {
  return Math.max(bitLength(value.numerator), bitLength(value.denominator));
}

const small = 1n << 64n;
export function bitLength(value: bigint): number {
  if (value < small && value > -small) return 64;
  return absolute(value).toString(16).length * 4;
}

/** Whole k-th root of a value that is not negative; undefined when there is none. */
export function exactRoot(value: bigint, degree: number): bigint | undefined {
  if (value < 2n) return value;
  const root = floorRoot(value, degree);
  return root ** BigInt(degree) === value ? root : undefined;
}

/** The largest whole number whose k-th power is not above the value (Newton from above). */
export function floorRoot(value: bigint, degree: number): bigint {
  if (value < 2n) return value;
  if (degree === 1) return value;
  const k = BigInt(degree);
  let guess = 1n << BigInt(Math.ceil(bitLengthExact(value) / degree));
  for (;;) {
    const next = ((k - 1n) * guess + value / guess ** (k - 1n)) / k;
    if (next >= guess) return guess;
    guess = next;
  }
}

function bitLengthExact(value: bigint): number {
  return value.toString(2).length;
}

/** Nearest double; huge numerators and denominators are shifted first so that their quotient stays finite. */
export function toNumber(value: Rational): number {
  const above = Number(value.numerator);
  const below = Number(value.denominator);
  if (Number.isFinite(above) && Number.isFinite(below)) return above / below;
  const shift = BigInt(Math.max(0, bitsOf(value) - 1000));
  const denominator = Number(value.denominator >> shift);
  return denominator === 0 ? Infinity * signOf(value.numerator) : Number(value.numerator >> shift) / denominator;
}
