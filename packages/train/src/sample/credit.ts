// Credit onto samples: the second step. Algorithms are asked group by group, in order, and their state is handed on;
// then each algorithm sees its part of the batch once more. Invariant: a token of weight 0 has advantage 0.
import { type Algorithm, type Credit, type CreditGroup, HoneError, type Json, type Sample } from "@hone/core";
import type { Collected } from "./collect.ts";

/** By environment, as data: an algorithm's state is checkpointed. What is missing is null. */
export type AlgorithmStates = Readonly<Record<string, Json>>;

export interface CreditOptions {
  /** Environments with one and the same value are finished together. */
  readonly algorithmOf: (env: string) => Algorithm;
  readonly states: AlgorithmStates;
}
export interface Credited {
  readonly samples: readonly Sample[];
  readonly states: AlgorithmStates;
}

export function creditSamples({ groups }: Collected, { algorithmOf, states }: CreditOptions): Credited {
  const after = new Map<string, Json>(Object.entries(states));
  const byAlgorithm = new Map<Algorithm, Sample[]>();
  for (const group of groups) {
    const algorithm = algorithmOf(group.env);
    const { credit, state } = algorithm.credit(group, after.get(group.env) ?? null);
    after.set(group.env, state);
    const samples = byAlgorithm.get(algorithm) ?? [];
    for (const sample of creditedGroup(group, credit, algorithm.name)) samples.push(sample);
    byAlgorithm.set(algorithm, samples);
  }
  const samples = [...byAlgorithm].flatMap(([algorithm, part]) => algorithm.finish?.(part) ?? part);
  return { samples, states: Object.fromEntries(after) };
}

function creditedGroup({ rollouts, samples }: CreditGroup, credit: readonly Credit[], name: string): Sample[] {
  if (credit.length !== rollouts.length) {
    throw unusable(name, `credited ${credit.length} rollouts of a group of ${rollouts.length}`);
  }
  return samples.flatMap((branches, index) => applyCredit(branches, credit[index] ?? 0, name));
}

/** The samples of one rollout with their advantage: one number for all of them, or a column for each. */
export function applyCredit(samples: readonly Sample[], credit: Credit, algorithm: string): Sample[] {
  if (typeof credit === "number") {
    if (!Number.isFinite(credit)) throw unusable(algorithm, `gave rollout ${samples[0]?.rollout} the credit ${credit}`);
    return samples.map((sample) => ({ ...sample, advantage: spread(credit, sample.weight) }));
  }
  if (credit.length !== samples.length) {
    const rollout = samples[0]?.rollout ?? "without samples";
    throw unusable(algorithm, `gave ${credit.length} columns for the ${samples.length} samples of rollout ${rollout}`);
  }
  return samples.map((sample, index) => ({ ...sample, advantage: columnOf(sample, credit[index], algorithm) }));
}

/** Loops rather than `map`, here and where weights are scaled: they run over every token of a batch. */
function spread(credit: number, weight: Float32Array): Float32Array {
  const column = new Float32Array(weight.length);
  for (let at = 0; at < weight.length; at++) if (weight[at] !== 0) column[at] = credit;
  return column;
}

function columnOf({ id, weight }: Sample, column: Float32Array | undefined, algorithm: string): Float32Array {
  if (column?.length !== weight.length) {
    throw unusable(algorithm, `gave sample ${id} a column of ${column?.length}, and it has ${weight.length} tokens`);
  }
  return weight.map((part, at) => {
    if (part === 0) return 0;
    const credit = column[at] ?? 0;
    if (!Number.isFinite(credit)) throw unusable(algorithm, `gave sample ${id} the credit ${credit} at token ${at}`);
    return credit;
  });
}

function unusable(algorithm: string, what: string): HoneError {
  return new HoneError(`the algorithm "${algorithm}" ${what}`, {
    code: "bad-credit",
    hint: "Credit is one finite number per rollout, or one column per sample of it, as long as its tokens.",
  });
}
