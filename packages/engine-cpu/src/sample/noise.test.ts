// The generator against its published answers, and what a token's noise depends on.
import fc from "fast-check";
import { expect, test } from "vitest";
import { philox, philoxWords, tokenNoise, type TokenPlace } from "./noise.ts";

test.each([
  [[0, 0, 0, 0, 0, 0], "6627e8d5 e169c58d bc57ac4c 9b00dbd8"],
  [[-1, -1, -1, -1, -1, -1], "408f276d 41c83b0e a20bc7c6 6d5451fd"],
  [[0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0], "d16cfe09 94fdcceb 5001e420 24126ea1"],
])("Philox 4x32-10 of %j is what its authors give", (input, expected) => {
  const words = Int32Array.from(input);
  philox(words);
  const hex = Array.from(words.subarray(0, 4), (word) => (word >>> 0).toString(16).padStart(8, "0"));
  expect(hex.join(" ")).toBe(expected);
});

const noiseOf = (place: TokenPlace): string => {
  const words = new Int32Array(philoxWords).fill(5);
  tokenNoise(place, words);
  return words.subarray(0, 2).join();
};

test("noise depends on seed, sequence, version and position, each over its whole range", () => {
  const whole = fc.maxSafeInteger();
  const small = fc.nat({ max: 2 ** 31 - 1 });
  const place = fc.record({ seed: whole, sequence: small, version: whole, position: small });
  const property = fc.property(place, place, (a, b) => {
    expect(noiseOf(a)).toBe(noiseOf({ ...a }));
    for (const name of ["seed", "sequence", "version", "position"] as const)
      if (a[name] !== b[name]) expect(noiseOf({ ...a, [name]: b[name] })).not.toBe(noiseOf(a));
  });
  fc.assert(property, { seed: 2 });
  expect(noiseOf({ seed: 1, sequence: 0, version: 0, position: 9 })).not.toBe(
    noiseOf({ seed: 1 + 2 ** 32, sequence: 0, version: 0, position: 9 }),
  );
});

test("its parts are spread evenly", () => {
  const counts = Array.from({ length: 16 }, () => 0);
  const words = new Int32Array(philoxWords);
  for (let position = 0; position < 16_000; position++) {
    tokenNoise({ seed: 3, sequence: 1, version: 2, position }, words);
    const bucket = (words[0] ?? 0) >>> 28;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  expect(Math.min(...counts)).toBeGreaterThan(850);
  expect(Math.max(...counts)).toBeLessThan(1150);
});
