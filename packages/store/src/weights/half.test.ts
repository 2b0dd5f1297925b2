import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { narrowBfloat16, narrowFloat16, widenBfloat16, widenFloat16 } from "./half.ts";

const everyPattern = Uint16Array.from({ length: 65_536 }, (_zero, index) => index);
const bitsOf = (values: Float32Array): Uint32Array => new Uint32Array(values.buffer);

/** What the formats mean, by their definition: sign, exponent with its bias, fraction with its hidden one. */
interface Format {
  readonly exponentBits: number;
  readonly fractionBits: number;
}
const float16: Format = { exponentBits: 5, fractionBits: 10 };
const bfloat16: Format = { exponentBits: 8, fractionBits: 7 };

function valueOf(pattern: number, { exponentBits, fractionBits }: Format): number {
  const sign = pattern >= 32_768 ? -1 : 1;
  const exponent = Math.floor(pattern / 2 ** fractionBits) % 2 ** exponentBits;
  const fraction = (pattern % 2 ** fractionBits) / 2 ** fractionBits;
  const bias = 2 ** (exponentBits - 1) - 1;
  if (exponent === 2 ** exponentBits - 1) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** (1 - bias) : sign * (1 + fraction) * 2 ** (exponent - bias);
}

describe.each([
  { name: "float16", format: float16, widen: widenFloat16, narrow: narrowFloat16 },
  { name: "bfloat16", format: bfloat16, widen: widenBfloat16, narrow: narrowBfloat16 },
])("$name", ({ format, widen, narrow }) => {
  const widened = new Float32Array(65_536);
  widen(everyPattern, widened);
  const narrowed = (values: Float32Array): Uint16Array => {
    const target = new Uint16Array(values.length);
    narrow(values, target);
    return target;
  };

  test("every one of the 65,536 patterns widens to its value, bit for bit", () => {
    const expected = Float32Array.from(everyPattern, (pattern) => valueOf(pattern, format));
    const wrong = everyPattern.filter((pattern) => {
      const isNumber = !Number.isNaN(valueOf(pattern, format));
      return isNumber && bitsOf(widened)[pattern] !== bitsOf(expected)[pattern];
    });
    expect([...wrong]).toEqual([]);
  });

  test("a NaN keeps its sign and its payload", () => {
    const patterns = everyPattern.filter((pattern) => Number.isNaN(valueOf(pattern, format)));
    const wrong = patterns.filter((pattern) => {
      const payload = (pattern % 2 ** format.fractionBits) * 2 ** (23 - format.fractionBits);
      return bitsOf(widened)[pattern] !== (pattern >= 32_768 ? 0x8000_0000 : 0) + 0x7f80_0000 + payload;
    });
    expect([patterns.length, ...wrong]).toEqual([2 * (2 ** format.fractionBits - 1)]);
  });

  test("every pattern survives the way there and back", () => {
    expect(Buffer.from(narrowed(widened).buffer).equals(Buffer.from(everyPattern.buffer))).toBe(true);
  });

  test("half way between two neighbours goes to the even one, a hair to either side goes to the nearer", () => {
    const count = 2 ** (format.exponentBits + format.fractionBits) - 2 ** format.fractionBits;
    // The last neighbour pair is the largest number and the first power of two beyond it, which is infinity here.
    const beyond = 2 ** (2 ** (format.exponentBits - 1));
    const low = Float64Array.from({ length: count }, (_zero, pattern) => valueOf(pattern, format));
    const middles = Float32Array.from(low, (value, pattern) => (value + (low[pattern + 1] ?? beyond)) / 2);
    const nudged = (by: number): Float32Array => new Float32Array(bitsOf(middles).map((bits) => bits + by).buffer);
    const wrong = (values: Float32Array, expected: (pattern: number) => number): number[] => {
      const found = narrowed(values);
      return [...found.keys()].filter((pattern) => found[pattern] !== expected(pattern));
    };
    expect(wrong(middles, (pattern) => pattern + (pattern % 2))).toEqual([]);
    expect(wrong(nudged(-1), (pattern) => pattern)).toEqual([]);
    expect(wrong(nudged(1), (pattern) => pattern + 1)).toEqual([]);
    expect(
      wrong(
        middles.map((value) => -value),
        (pattern) => 0x8000 + pattern + (pattern % 2),
      ),
    ).toEqual([]);
  });

  test("no other number of the format is nearer than the one a float32 is narrowed to", () => {
    // Infinity stands for the first power of two that is too large.
    const placeOf = (pattern: number): number => {
      const value = valueOf(pattern, format);
      return Number.isFinite(value) ? value : Math.sign(value) * 2 ** (2 ** (format.exponentBits - 1));
    };
    const infinity = 2 ** 15 - 2 ** format.fractionBits;
    fc.assert(
      fc.property(fc.float({ noNaN: true, max: Math.fround(2 ** 127), min: -Math.fround(2 ** 127) }), (value) => {
        const [pattern = 0] = narrowed(Float32Array.of(value));
        const magnitude = pattern % 2 ** 15;
        const inward = placeOf(pattern - (magnitude > 0 ? 1 : 0));
        const outward = placeOf(pattern + (magnitude < infinity ? 1 : 0));
        // What lies beyond infinity's place is nearest to it from outside.
        const isBeyond = Math.abs(value) > Math.abs(placeOf(pattern)) && magnitude === infinity;
        const distance = isBeyond ? 0 : Math.abs(placeOf(pattern) - value);
        expect(distance).toBeLessThanOrEqual(Math.min(Math.abs(inward - value), Math.abs(outward - value)));
      }),
    );
  });

  test("a NaN stays a NaN, whichever bits say so", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 0x7f_ffff }), fc.boolean(), (payload, isNegative) => {
        const value = new Float32Array(Uint32Array.of((isNegative ? 0xff80_0000 : 0x7f80_0000) + payload).buffer);
        const [pattern = 0] = narrowed(value);
        expect([valueOf(pattern, format), pattern >= 0x8000]).toEqual([NaN, isNegative]);
      }),
    );
  });
});
