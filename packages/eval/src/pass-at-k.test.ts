import fc from "fast-check";
import { expect, test } from "vitest";
import { passAllK, passAtK, powersUpTo } from "./pass-at-k.ts";

/** Every choice of k out of the flags. */
function* choices(flags: readonly boolean[], k: number): Generator<boolean[]> {
  if (k === 0) yield [];
  else
    for (const [at, flag] of flags.entries()) {
      for (const rest of choices(flags.slice(at + 1), k - 1)) yield [flag, ...rest];
    }
}

const counts = fc
  .array(fc.boolean(), { minLength: 1, maxLength: 9 })
  .chain((flags) => fc.tuple(fc.constant(flags), fc.integer({ min: 1, max: flags.length })));

test("pass@k and pass^k equal the share among all choices of k rollouts", () => {
  fc.assert(
    fc.property(counts, ([flags, k]) => {
      const all = [...choices(flags, k)];
      const correct = flags.filter(Boolean).length;
      expect(passAtK(flags.length, correct, k)).toBeCloseTo(
        all.filter((chosen) => chosen.some(Boolean)).length / all.length,
        12,
      );
      expect(passAllK(flags.length, correct, k)).toBeCloseTo(
        all.filter((chosen) => chosen.every(Boolean)).length / all.length,
        12,
      );
    }),
  );
});

test("the table of n = 4", () => {
  const table = [0, 1, 2, 3, 4].map((correct) => [1, 2, 4].map((k) => passAtK(4, correct, k)));
  const close = (value: number): unknown => expect.closeTo(value, 12);
  expect(table).toEqual([
    [0, 0, 0],
    [close(1 / 4), close(1 / 2), close(1)],
    [close(1 / 2), close(5 / 6), close(1)],
    [close(3 / 4), close(1), close(1)],
    [close(1), close(1), close(1)],
  ]);
});

test("large groups stay within 0 and 1: no factorial overflows", () => {
  expect(passAtK(100_000, 1, 50_000)).toBeCloseTo(0.5, 9);
  expect(passAllK(100_000, 99_999, 50_000)).toBeCloseTo(0.5, 9);
});

test("k = 1 is the share of correct rollouts, k beyond the group is an error", () => {
  expect(passAtK(7, 3, 1)).toBeCloseTo(3 / 7, 12);
  expect(passAllK(7, 3, 1)).toBeCloseTo(3 / 7, 12);
  expect(() => passAtK(4, 2, 5)).toThrow("k = 5");
  expect(() => passAllK(4, 5, 2)).toThrow(RangeError);
});

test("k runs over powers of two up to the group", () => {
  expect([1, 3, 8].map(powersUpTo)).toEqual([[1], [1, 2], [1, 2, 4, 8]]);
});
