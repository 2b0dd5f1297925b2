// What a batch is made of, as flat metrics: `sample/...` over the whole update and `sample/<env>/...` for each environment.
// Counted before samples without effect are left out, so that the numbers describe what was sampled.
import type { Runs, Sample } from "@hone/core";
import type { CollectedCounts } from "./collect.ts";

export interface ReportOptions {
  readonly samples: readonly Sample[];
  readonly counts: ReadonlyMap<string, CollectedCounts>;
  /** Of the policy that is about to be updated: n - 1 in batch n. */
  readonly policyVersion: number;
}

export function sampleMetrics({ samples, counts, policyVersion }: ReportOptions): Record<string, number> {
  const metrics: Record<string, number> = {};
  const all = [...counts.values()];
  addScope(metrics, "sample", { samples, counts: all, policyVersion });
  const byEnv = new Map<string, Sample[]>([...counts.keys()].map((env) => [env, []]));
  for (const sample of samples) byEnv.get(sample.env)?.push(sample);
  for (const [env, count] of counts) {
    addScope(metrics, `sample/${env}`, { samples: byEnv.get(env) ?? [], counts: [count], policyVersion });
  }
  return metrics;
}

interface Scope {
  readonly samples: readonly Sample[];
  readonly counts: readonly CollectedCounts[];
  readonly policyVersion: number;
}

function addScope(metrics: Record<string, number>, prefix: string, { samples, counts, policyVersion }: Scope): void {
  const sum = (of: keyof CollectedCounts): number => counts.reduce((total, count) => total + count[of], 0);
  const tokens = samples.reduce((total, sample) => total + sample.tokens.length, 0);
  const trained = samples.reduce((total, { weight }) => total + trainedIn(weight, 0, weight.length), 0);
  const ages = ageOf(samples, policyVersion);
  const divergence = divergenceOf(samples);
  Object.assign(metrics, {
    [`${prefix}/rollouts`]: sum("rollouts"),
    [`${prefix}/sequences`]: samples.length,
    [`${prefix}/tokens`]: tokens,
    [`${prefix}/trained_tokens`]: trained,
    [`${prefix}/mean_length`]: tokens / Math.max(samples.length, 1),
    [`${prefix}/truncated_share`]: sum("truncated") / Math.max(sum("rollouts"), 1),
    [`${prefix}/cut_tokens`]: sum("cutTokens"),
    [`${prefix}/age/mean`]: ages.mean,
    [`${prefix}/age/max`]: ages.max,
    ...(divergence !== undefined && { [`${prefix}/reference_kl`]: divergence }),
  });
}

/** Updates between the policy that sampled a trained token and the one that is updated. */
function ageOf(samples: readonly Sample[], policyVersion: number): { readonly mean: number; readonly max: number } {
  let [trained, sum, max] = [0, 0, 0];
  for (const { policyVersion: versions, weight } of samples) {
    eachTrainedRun(versions, weight, (version, count) => {
      trained += count;
      sum += count * (policyVersion - version);
      max = Math.max(max, policyVersion - version);
    });
  }
  return { mean: sum / Math.max(trained, 1), max };
}

/** The oldest policy that sampled a trained token; `undefined` without trained tokens. */
export function oldestVersion({ policyVersion, weight }: Sample): number | undefined {
  let oldest: number | undefined;
  eachTrainedRun(policyVersion, weight, (version) => {
    oldest = Math.min(oldest ?? version, version);
  });
  return oldest;
}

function eachTrainedRun(
  { values, lengths }: Runs<number>,
  weight: Float32Array,
  visit: (value: number, count: number) => void,
): void {
  let start = 0;
  for (const [index, value] of values.entries()) {
    const end = start + (lengths[index] ?? 0);
    const count = trainedIn(weight, start, end);
    if (count > 0) visit(value, count);
    start = end;
  }
}

/** Mean of logprob - reference over trained tokens: from the sampling policy to the reference or teacher. */
function divergenceOf(samples: readonly Sample[]): number | undefined {
  let [count, sum] = [0, 0];
  for (const { weight, logprob, reference } of samples) {
    if (reference === undefined) continue;
    for (let at = 0; at < weight.length; at++) {
      if (weight[at] === 0) continue;
      count++;
      sum += logprob[at]! - reference[at]!;
    }
  }
  return count === 0 ? undefined : sum / count;
}

function trainedIn(weight: Float32Array, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at++) if (weight[at] !== 0) count++;
  return count;
}
