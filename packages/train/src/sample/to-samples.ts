// Rollout to samples: core's branches, with what a run decides about them, namely truncated rollouts and the longest sequence.
// A buffered token costs 16 bytes: id, weight, advantage and logprob, 4 each (20 with a reference); temperature and version are runs.
import { type Rollout, type Runs, type Sample, samplesOf } from "@hone/core";
import * as z from "zod";

export const TruncatedRollouts = z
  .enum(["mask", "keep"])
  .describe("mask: a truncated rollout counts in its group's baseline and is not trained on; keep: it is trained on");

export interface SampleSettings {
  readonly truncated: z.output<typeof TruncatedRollouts>;
  /** Longest sequence; a longer one loses its end, and with it the credit there. */
  readonly seqLen: number;
}

export interface RolloutSamples {
  /** Each with at least one trained token. */
  readonly samples: readonly Sample[];
  /** Tokens lost to `seqLen`. */
  readonly cutTokens: number;
}

export function toSamples(rollout: Rollout, { truncated, seqLen }: SampleSettings): RolloutSamples {
  if (rollout.truncated && truncated === "mask") return { samples: [], cutTokens: 0 };
  const whole = samplesOf(rollout);
  const cutTokens = whole.reduce((sum, { tokens }) => sum + Math.max(0, tokens.length - seqLen), 0);
  const samples = whole.map((sample) => withoutFirst(cut(sample, seqLen)));
  return { samples: samples.filter(isTrained), cutTokens };
}

export function isTrained({ weight }: Sample): boolean {
  return hasContent(weight);
}

/** Looks from the end: that is where what was sampled mostly is. */
export function hasContent(column: Float32Array): boolean {
  for (let at = column.length - 1; at >= 0; at--) if (column[at] !== 0) return true;
  return false;
}

/** Copies, not views: a view would keep what was cut in memory. */
function cut(sample: Sample, seqLen: number): Sample {
  if (sample.tokens.length <= seqLen) return sample;
  return {
    ...sample,
    tokens: sample.tokens.slice(0, seqLen),
    weight: sample.weight.slice(0, seqLen),
    advantage: sample.advantage.slice(0, seqLen),
    logprob: sample.logprob.slice(0, seqLen),
    temperature: cutRuns(sample.temperature, seqLen),
    policyVersion: cutRuns(sample.policyVersion, seqLen),
  };
}

function cutRuns<Value>({ values, lengths }: Runs<Value>, length: number): Runs<Value> {
  const kept: { values: Value[]; lengths: number[] } = { values: [], lengths: [] };
  let left = length;
  for (const [index, value] of values.entries()) {
    if (left === 0) break;
    const taken = Math.min(lengths[index] ?? 0, left);
    kept.values.push(value);
    kept.lengths.push(taken);
    left -= taken;
  }
  return kept;
}

/** The first token follows nothing: engines give it no term, so it must not count in a normaliser either. */
function withoutFirst(sample: Sample): Sample {
  if (sample.weight[0] === undefined || sample.weight[0] === 0) return sample;
  const weight = sample.weight.slice();
  weight[0] = 0;
  return { ...sample, weight };
}
