import * as fc from "fast-check";
import { expect, test } from "vitest";
import { groupOf, withReference } from "../sample/testing/rollouts.ts";
import { AlgorithmConfig, type NamedAlgorithmConfig } from "./config.ts";
import { createAlgorithm } from "./create.ts";
import { klOf } from "./kl.ts";

const comparing = ["grpo", "dr_grpo", "rloo", "reinforce_pp", "gspo", "cispo", "dapo", "max_rl"] as const;
function algorithmOf(config: object) {
  return createAlgorithm(AlgorithmConfig.parse(config) as NamedAlgorithmConfig, { maxTokens: 100 });
}

test("by hand: each trained token loses weight x divergence", () => {
  // Two rewards, credits +1 and -1. logprob -1, reference -2: d = -1; k1 = 1; k3 = e^-1 + 1 - 1 = 0.3679.
  const group = withReference(groupOf([1, 0], [{ sampled: 1 }, { sampled: 1 }]), -2);
  const credit = (klEstimator: string): number[][] =>
    algorithmOf({ type: "grpo", klWeight: 0.5, klEstimator })
      .credit(group, null)
      .credit.map((columns) =>
        [...((columns as Float32Array[])[0] ?? [])].map((value) => Math.round(value * 1e4) / 1e4),
      );
  expect(credit("k1")).toEqual([
    [0, 0, 0.5],
    [0, 0, -1.5],
  ]);
  expect(credit("k3")).toEqual([
    [0, 0, 0.8161],
    [0, 0, -1.1839],
  ]);
});

for (const type of comparing) {
  test(`${type}: the penalty is zero where the policies agree`, () => {
    const group = withReference(groupOf([1, 0, 1]), -1);
    const plain = algorithmOf({ type }).credit(group, null).credit;
    for (const klEstimator of ["k1", "k3"]) {
      const algorithm = algorithmOf({ type, klWeight: 0.1, klEstimator });
      expect(algorithm.needs).toEqual(["reference"]);
      const { credit } = algorithm.credit(group, null);
      expect(credit.map((columns) => (columns as Float32Array[])[0]?.at(-1))).toEqual(
        plain.map((value) => Math.fround(Number(value))),
      );
    }
    expect(algorithmOf({ type }).needs).toEqual([]);
  });
}

test("both estimators have the divergence as their mean, and k3 is never negative", () => {
  const probability = fc.double({ min: 0.01, max: 0.99, noNaN: true });
  fc.assert(
    fc.property(probability, probability, (p, r) => {
      // A coin: KL(p || r) = p ln(p / r) + (1 - p) ln((1 - p) / (1 - r)), expected over sides drawn from p.
      const divergence = p * Math.log(p / r) + (1 - p) * Math.log((1 - p) / (1 - r));
      for (const estimator of ["k1", "k3"] as const) {
        const [heads, tails] = [
          klOf(estimator, Math.log(p), Math.log(r)),
          klOf(estimator, Math.log(1 - p), Math.log(1 - r)),
        ];
        expect(p * heads + (1 - p) * tails).toBeCloseTo(divergence, 9);
        if (estimator === "k3") expect(Math.min(heads, tails)).toBeGreaterThanOrEqual(-1e-12);
      }
    }),
  );
});

test("a penalty without a reference to compare with is an error, not a penalty of zero", () => {
  expect(() => algorithmOf({ type: "grpo", klWeight: 0.1 }).credit(groupOf([1, 0]), null)).toThrow("env-0/0");
});
