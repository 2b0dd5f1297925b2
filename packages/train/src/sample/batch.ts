// Finished groups to one batch: collect, credit, normalise. Pure: what it needs to know of other policies is fetched before, in between.
//   const collected = collectSamples(groups, settings);
//   const scored = withScores(collected, await answers(scoreRequests(collected, algorithmOf)));
//   const batch = finishBatch(scored, { treatmentOf, states, policyVersion });
import type { Algorithm, CustomLoss, LossSpec, Sample } from "@hone/core";
import type { FinishedGroup } from "../nouns.ts";
import { type Collected, collectSamples } from "./collect.ts";
import { type AlgorithmStates, creditSamples } from "./credit.ts";
import { normalise, type Normaliser } from "./normalise.ts";
import { sampleMetrics } from "./report.ts";
import { type ScoreAnswer, withScores } from "./scores.ts";
import { hasContent, isTrained, type SampleSettings } from "./to-samples.ts";

/** How the samples of an environment are treated. */
export interface Treatment {
  readonly algorithm: Algorithm;
  readonly normaliser: Normaliser;
}

export interface FinishBatchOptions {
  readonly treatmentOf: (env: string) => Treatment;
  readonly states: AlgorithmStates;
  /** Of the policy that is about to be updated: n - 1 in batch n. */
  readonly policyVersion: number;
}
export interface MakeBatchOptions extends FinishBatchOptions, SampleSettings {
  readonly groups: readonly Pick<FinishedGroup, "rollouts">[];
  /** Answers to `scoreRequests`, for algorithms that need them. */
  readonly scores?: readonly ScoreAnswer[];
}

export interface Batch {
  /** Credited and normalised. Empty when nothing in the groups can move the policy. */
  readonly samples: readonly Sample[];
  readonly states: AlgorithmStates;
  /** `sample/...`. */
  readonly metrics: Readonly<Record<string, number>>;
}

export function makeBatch({ groups, scores = [], ...options }: MakeBatchOptions): Batch {
  return finishBatch(withScores(collectSamples(groups, options), scores), options);
}

export function finishBatch(collected: Collected, { treatmentOf, states, policyVersion }: FinishBatchOptions): Batch {
  const credited = creditSamples(collected, { algorithmOf: (env) => treatmentOf(env).algorithm, states });
  const trained = credited.samples.filter(isTrained);
  const normalised = normalise(trained, ({ env }) => treatmentOf(env).normaliser);
  const samples = normalised.filter((sample) => hasEffect(sample, treatmentOf(sample.env).algorithm.loss));
  const metrics = {
    ...sampleMetrics({ samples: trained, counts: collected.counts, policyVersion }),
    "sample/without_effect": normalised.length - samples.length,
  };
  return { samples, states: credited.states, metrics };
}

/** One call of forwardBackward each, in the order of first appearance: environments may differ in their loss. */
export function byLoss(samples: readonly Sample[], treatmentOf: (env: string) => Treatment): LossPart[] {
  const parts = new Map<CustomLoss | string, { readonly loss: LossPart["loss"]; readonly samples: Sample[] }>();
  for (const sample of samples) {
    const { loss } = treatmentOf(sample.env).algorithm;
    const key = typeof loss === "function" ? loss : JSON.stringify(loss);
    const part = parts.get(key) ?? { loss, samples: [] };
    part.samples.push(sample);
    parts.set(key, part);
  }
  return [...parts.values()];
}
export interface LossPart {
  readonly loss: LossSpec | CustomLoss;
  readonly samples: readonly Sample[];
}

/** These losses are a multiple of the advantage: without one the gradient is 0, and the engine is spared the work. */
const proportional: readonly string[] = ["importance_sampling", "ppo", "cispo"] satisfies LossSpec["type"][];

function hasEffect({ advantage }: Sample, loss: LossPart["loss"]): boolean {
  const isProportional = typeof loss !== "function" && proportional.includes(loss.type);
  return !isProportional || hasContent(advantage);
}
