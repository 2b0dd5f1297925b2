// KL to the starting policy, on the side of credit: every trained token loses weight x its estimate of the divergence.
// Estimators of Schulman's note "Approximating KL divergence", with d = reference - logprob: k1 = -d, k3 = exp(d) - d - 1.
import { type Credit, type CreditGroup, HoneError, type Sample } from "@hone/core";
import * as z from "zod";

export const klFields = {
  klWeight: z.number().min(0).default(0).describe("of the divergence from the starting policy, taken off each token"),
  klEstimator: z
    .enum(["k1", "k3"])
    .default("k1")
    .describe("of that divergence: k1 is unbiased and may be negative, k3 never is"),
};
export interface KlConfig {
  readonly klWeight: number;
  readonly klEstimator: "k1" | "k3";
}

/** `reference` where there is a penalty to compute. */
export function klNeeds({ klWeight }: KlConfig): readonly "reference"[] {
  return klWeight === 0 ? [] : ["reference"];
}

export function klOf(estimator: KlConfig["klEstimator"], logprob: number, reference: number): number {
  const difference = reference - logprob;
  return estimator === "k1" ? -difference : Math.exp(difference) - difference - 1;
}

/** Credit less the penalty: numbers as they are without one, columns with one. */
export function withKl(credit: readonly number[], group: CreditGroup, config: KlConfig): readonly Credit[] {
  const { klWeight, klEstimator } = config;
  if (klWeight === 0) return credit;
  return credit.map((value, index): Credit =>
    (group.samples[index] ?? []).map((sample) =>
      creditColumn(sample, (logprob, reference) => value - klWeight * klOf(klEstimator, logprob, reference)),
    ),
  );
}

/** A column of credit from the two logprobs of each trained token; 0 elsewhere. */
export function creditColumn(sample: Sample, of: (logprob: number, reference: number) => number): Float32Array {
  const { id, weight, logprob, reference } = sample;
  if (reference === undefined) {
    throw new HoneError(`sample ${id} has no logprobs of the reference or teacher policy`, {
      code: "no-reference",
      hint: "Score the samples with the policies in the algorithm's `needs` before giving credit.",
    });
  }
  return weight.map((trained, at) => (trained === 0 ? 0 : of(logprob[at] ?? 0, reference[at] ?? 0)));
}
