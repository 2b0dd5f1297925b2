import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fixedPoint, isSameFixed } from "./fixed-point.ts";

const { from, pi, exponential, logarithm, sineAndCosine, angle, root, multiply, toNumber } = fixedPoint;
const of = (numerator: number, denominator = 1): bigint =>
  from({ numerator: BigInt(numerator), denominator: BigInt(denominator) });

/** To 60 digits after the point. */
function digits(value: bigint): string {
  const scaled = ((value < 0n ? -value : value) * 10n ** 60n) >> 256n;
  const text = scaled.toString().padStart(61, "0");
  return `${value < 0n ? "-" : ""}${text.slice(0, -60)}.${text.slice(-60)}`;
}

test("the constants are right to 60 digits", () => {
  expect(digits(pi)).toBe("3.141592653589793238462643383279502884197169399375105820974944");
  expect(digits(exponential(of(1)))).toBe("2.718281828459045235360287471352662497757247093699959574966967");
  expect(digits(logarithm(of(2)))).toBe("0.693147180559945309417232121458176568075500134360255254120680");
  expect(digits(root(of(2), 2))).toBe("1.414213562373095048801688724209698078569671875376948073176679");
  expect(digits(sineAndCosine(of(1))[0])).toBe("0.841470984807896506652502321630298999622563060798371065672751");
  expect(digits(angle(of(1), of(1)) * 4n)).toBe("3.141592653589793238462643383279502884197169399375105820974944");
});

const argument = fc.tuple(fc.integer({ min: -4000, max: 4000 }), fc.integer({ min: 1, max: 100 }));

test("the functions undo each other", () => {
  fc.assert(
    fc.property(argument, ([above, below]) => {
      const x = of(above, below);
      const positive = (x < 0n ? -x : x) + of(1, 7);
      expect(isSameFixed(logarithm(exponential(of(above % 50, below))), of(above % 50, below))).toBe(true);
      expect(isSameFixed(exponential(logarithm(positive)), positive)).toBe(true);
      expect(isSameFixed(root(multiply(positive, multiply(positive, positive)), 3), positive)).toBe(true);
      const [sine, cosine] = sineAndCosine(x);
      expect(isSameFixed(multiply(sine, sine) + multiply(cosine, cosine), of(1))).toBe(true);
      const reduced = angle(sine, cosine);
      expect(isSameFixed(sineAndCosine(reduced)[0], sine)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test("they agree with doubles as far as those go", () => {
  fc.assert(
    fc.property(argument, ([above, below]) => {
      const [x, exact] = [above / below, of(above, below)];
      expect(toNumber(exact)).toBeCloseTo(x, 9);
      expect(toNumber(sineAndCosine(exact)[0])).toBeCloseTo(Math.sin(x), 9);
      expect(toNumber(angle(exact, of(-3)))).toBeCloseTo(Math.atan2(x, -3), 9);
    }),
    { numRuns: 100 },
  );
});

test("what is out of range has no value", () => {
  expect(() => exponential(of(100000))).toThrow("no value");
  expect(() => logarithm(0n)).toThrow("no value");
  expect(() => fixedPoint.divide(of(1), 0n)).toThrow("no value");
  expect(exponential(of(-100000))).toBe(0n);
});
