import type { Sample } from "@hone/core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { normalise, type Normaliser } from "./normalise.ts";
import { sampleOf } from "./testing/rollouts.ts";

const normalisers: readonly Normaliser[] = [{ type: "token" }, { type: "sequence" }, { type: "constant", tokens: 50 }];
const length = fc.integer({ min: 1, max: 40 });
const batch = fc.array(length, { minLength: 1, maxLength: 12 });

const samplesOf = (lengths: readonly number[], env = "env"): Sample[] =>
  lengths.map((tokens) =>
    sampleOf(
      Array.from({ length: tokens }, () => 1),
      { env },
    ),
  );
const sumOf = (values: Iterable<number>): number => [...values].reduce((sum, value) => sum + value, 0);
const sums = (samples: readonly Sample[]): number[] => samples.map(({ weight }) => sumOf(weight));

describe("by hand: sequences of 1 and 3 trained tokens", () => {
  const weights = (normaliser: Normaliser): number[][] =>
    normalise(samplesOf([1, 3]), () => normaliser).map(({ weight }) =>
      [...weight].map((value) => Math.round(value * 1e5) / 1e5),
    );

  test("token: a quarter each", () => {
    expect(weights({ type: "token" })).toEqual([
      [0, 0.25],
      [0, 0.25, 0.25, 0.25],
    ]);
  });
  test("sequence: a half each, divided by its tokens", () => {
    expect(weights({ type: "sequence" })).toEqual([
      [0, 0.5],
      [0, 0.16667, 0.16667, 0.16667],
    ]);
  });
  test("constant: 1 / (2 sequences x 10)", () => {
    expect(weights({ type: "constant", tokens: 10 })).toEqual([
      [0, 0.05],
      [0, 0.05, 0.05, 0.05],
    ]);
  });
});

describe("sums of weights", () => {
  test("token and sequence: 1 over the update; constant: mean length by the constant", () => {
    fc.assert(
      fc.property(batch, (lengths) => {
        const total = (normaliser: Normaliser): number => sumOf(sums(normalise(samplesOf(lengths), () => normaliser)));
        expect(total({ type: "token" })).toBeCloseTo(1, 5);
        expect(total({ type: "sequence" })).toBeCloseTo(1, 5);
        expect(total({ type: "constant", tokens: 50 })).toBeCloseTo(sumOf(lengths) / lengths.length / 50, 5);
      }),
    );
  });

  test("sequence: the same for each sequence; the others: the same for each token", () => {
    fc.assert(
      fc.property(batch, (lengths) => {
        for (const sum of sums(normalise(samplesOf(lengths), () => ({ type: "sequence" })))) {
          expect(sum).toBeCloseTo(1 / lengths.length, 5);
        }
        for (const normaliser of [normalisers[0]!, normalisers[2]!]) {
          const trained = normalise(samplesOf(lengths), () => normaliser).flatMap(({ weight }) => [
            ...weight.subarray(1),
          ]);
          expect(new Set(trained).size).toBe(1);
        }
      }),
    );
  });

  test("a batch twice over is the same update: every weight halves", () => {
    fc.assert(
      fc.property(batch, fc.constantFrom(...normalisers), (lengths, normaliser) => {
        const once = normalise(samplesOf(lengths), () => normaliser);
        const twice = normalise(samplesOf([...lengths, ...lengths]), () => normaliser);
        for (const [index, { weight }] of once.entries()) {
          expect(twice[index]?.weight[1]).toBeCloseTo((weight[1] ?? 0) / 2, 6);
        }
      }),
    );
  });

  test("token and sequence do not depend on the scale of the weights that come in", () => {
    const scaled = samplesOf([1, 3]).map((sample) => ({ ...sample, weight: sample.weight.map((value) => value * 8) }));
    for (const normaliser of [normalisers[0]!, normalisers[1]!]) {
      expect(normalise(scaled, () => normaliser)).toEqual(normalise(samplesOf([1, 3]), () => normaliser));
    }
  });

  test("a sequence without trained tokens changes nothing and counts for nothing", () => {
    const empty = sampleOf([1], { weight: new Float32Array(2) });
    for (const normaliser of normalisers) {
      const [, ...rest] = normalise([empty, ...samplesOf([2, 5])], () => normaliser);
      expect(rest).toEqual(normalise(samplesOf([2, 5]), () => normaliser));
    }
    expect(normalise([empty], () => ({ type: "token" }))).toEqual([empty]);
    expect(normalise([], () => ({ type: "token" }))).toEqual([]);
  });
});

test("environments with different normalisers count by their share of the sequences; equal ones as one", () => {
  const samples = [...samplesOf([1, 3], "a"), ...samplesOf([4], "b")];
  const byEnv = (a: Normaliser, b: Normaliser): number[] =>
    sums(normalise(samples, ({ env }) => (env === "a" ? a : b)));
  const [first, second, third] = byEnv({ type: "token" }, { type: "sequence" });
  // Two of three sequences: 2/3 over 4 tokens; the third has the last third.
  expect([first, second, third].map((sum) => Math.round((sum ?? 0) * 1e5) / 1e5)).toEqual([0.16667, 0.5, 0.33333]);
  expect(byEnv({ type: "token" }, { type: "token" }).map((sum) => Math.round(sum * 1e5) / 1e5)).toEqual([
    0.125, 0.375, 0.5,
  ]);
});

test("a constant of no tokens is refused", () => {
  expect(() => normalise(samplesOf([1]), () => ({ type: "constant", tokens: 0 }))).toThrow("not 0");
});
