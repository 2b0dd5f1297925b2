import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  estimate,
  mean,
  pairedDifference,
  quantile,
  RunningEstimate,
  standardDeviation,
  tQuantile,
} from "./statistics.ts";

describe("Student's t", () => {
  // Two-sided 95 % and 99 % from the usual tables, to their printed digits.
  test.each([
    [0.975, 1, 12.7062],
    [0.975, 2, 4.30265],
    [0.975, 5, 2.57058],
    [0.975, 10, 2.22814],
    [0.975, 30, 2.04227],
    [0.975, 120, 1.97993],
    [0.995, 4, 4.60409],
    [0.995, 60, 2.66028],
    [0.95, 9, 1.83311],
    [0.9, 3, 1.63774],
  ])("has the table's value at p = %f, %i degrees", (probability, degrees, expected) => {
    expect(tQuantile(probability, degrees)).toBeCloseTo(expected, 4);
  });

  test("approaches the normal distribution with many degrees of freedom", () => {
    expect(tQuantile(0.975, 1e6)).toBeCloseTo(1.959964, 5);
  });

  test("is exact where a closed form exists", () => {
    const shares = fc.double({ min: 0.001, max: 0.999, noNaN: true });
    fc.assert(
      fc.property(shares, (share) => {
        const cauchy = Math.tan(Math.PI * (share - 0.5));
        const two = (2 * share - 1) * Math.sqrt(2 / (4 * share * (1 - share)));
        expect(tQuantile(share, 1) / (1 + Math.abs(cauchy))).toBeCloseTo(cauchy / (1 + Math.abs(cauchy)), 8);
        expect(tQuantile(share, 2) / (1 + Math.abs(two))).toBeCloseTo(two / (1 + Math.abs(two)), 8);
      }),
    );
  });

  test("is symmetric and refuses what has no quantile", () => {
    expect(tQuantile(0.5, 7)).toBe(0);
    expect(tQuantile(0.1, 7)).toBeCloseTo(-tQuantile(0.9, 7), 12);
    expect(() => tQuantile(1, 7)).toThrow(RangeError);
    expect(() => tQuantile(0.9, 0)).toThrow(RangeError);
  });
});

describe("the interval of a mean", () => {
  test("is the t interval when every task has one rollout", () => {
    // mean 3, deviation sqrt(2.5), error sqrt(2.5 / 5), t(4) = 2.776445
    const one = estimate([[1], [2], [3], [4], [5]]);
    expect(one?.mean).toBe(3);
    expect(one?.standardDeviation).toBeCloseTo(Math.sqrt(2.5), 12);
    expect(one?.ci95?.[0]).toBeCloseTo(3 - 2.776445 * Math.sqrt(0.5), 5);
    expect(one?.ci95?.[1]).toBeCloseTo(3 + 2.776445 * Math.sqrt(0.5), 5);
  });

  test("does not shrink when each rollout is repeated: tasks are counted, not rollouts", () => {
    const clusters = fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(clusters, fc.integer({ min: 2, max: 9 }), (values, times) => {
        const once = estimate(values.map((value) => [value]));
        const often = estimate(values.map((value) => Array.from({ length: times }, () => value)));
        expect(often?.mean).toBeCloseTo(once?.mean ?? Number.NaN, 9);
        expect(often?.ci95?.[0]).toBeCloseTo(once?.ci95?.[0] ?? Number.NaN, 9);
        expect(often?.ci95?.[1]).toBeCloseTo(once?.ci95?.[1] ?? Number.NaN, 9);
      }),
    );
  });

  test("of equal groups is the interval of the task means", () => {
    const groups = [
      [0, 1, 1],
      [1, 1, 1],
      [0, 0, 1],
      [0, 0, 0],
    ];
    const means = estimate(groups.map((group) => [mean(group)]));
    expect(estimate(groups)?.ci95?.[0]).toBeCloseTo(means?.ci95?.[0] ?? Number.NaN, 12);
    expect(estimate(groups)?.ci95?.[1]).toBeCloseTo(means?.ci95?.[1] ?? Number.NaN, 12);
  });

  test("covers the true mean of correlated rollouts about 19 times in 20", () => {
    // Twelve tasks of different difficulty, eight rollouts each; counting rollouts as independent would cover about half as often.
    let state = 12_345;
    const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    let covered = 0;
    const times = 2_000;
    for (let time = 0; time < times; time++) {
      const groups = Array.from({ length: 12 }, () => {
        const easy = random();
        return Array.from({ length: 8 }, () => (random() < easy ? 1 : 0));
      });
      const [low, high] = estimate(groups)?.ci95 ?? [1, 0];
      if (low <= 0.5 && 0.5 <= high) covered++;
    }
    expect(covered / times).toBeGreaterThan(0.93);
    expect(covered / times).toBeLessThan(0.97);
  });

  test("does not exist for one task, and nothing exists for none", () => {
    expect(estimate([[0, 1, 1]])).toMatchObject({ ci95: null, n: 3 });
    expect(estimate([[1]])?.standardDeviation).toBeNull();
    expect(estimate([[], []])).toBeUndefined();
    expect(standardDeviation([])).toBeNull();
  });
});

const groupsOfValues = fc.array(
  fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 1, maxLength: 5 }),
  {
    minLength: 1,
    maxLength: 12,
  },
);

describe("the running estimate", () => {
  test("equals the one made at the end, whatever was taken back in between", () => {
    fc.assert(
      fc.property(groupsOfValues, (groups) => {
        const running = new RunningEstimate();
        for (const [task, values] of groups.entries()) {
          for (const value of values) {
            running.add(String(task), value + 1);
            running.remove(String(task), value + 1);
            running.add(String(task), value);
          }
        }
        const exact = estimate(groups);
        const half = exact?.ci95 ? (exact.ci95[1] - exact.ci95[0]) / 2 : null;
        expect(running.current?.mean).toBeCloseTo(exact?.mean ?? Number.NaN, 8);
        // A difference of large sums: the last digits of a line of progress do not matter.
        expect(running.current?.half ?? -1).toBeCloseTo(half ?? -1, 3);
      }),
    );
  });

  test("says nothing before the first value", () => {
    expect(new RunningEstimate().current).toBeUndefined();
  });
});

describe("paired differences", () => {
  test("cancel what both sides share", () => {
    // Tasks differ widely, B is 0.1 better on each: the means' own intervals overlap, the difference's does not contain 0.
    const clusters = [0, 1, 2, 3, 4].map((hard) => [[hard, hard + 0.1] as const]);
    const found = pairedDifference(clusters);
    expect(found?.difference.mean).toBeCloseTo(0.1, 12);
    expect(found?.difference.ci95?.[0]).toBeGreaterThan(0.0999);
    expect([found?.a, found?.b]).toEqual([2, 2.1]);
    expect(pairedDifference([])).toBeUndefined();
  });
});

test("quantiles lie between the nearest values", () => {
  const sorted = Float64Array.of(1, 2, 4, 8);
  expect([0, 0.5, 0.95, 1].map((share) => quantile(sorted, share))).toEqual(
    [1, 3, 4 + 0.85 * 4, 8].map((value) => expect.closeTo(value, 12)),
  );
  expect(quantile(Float64Array.of(7), 0.95)).toBe(7);
});
