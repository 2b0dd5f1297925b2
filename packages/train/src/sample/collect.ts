// Groups to samples, before any credit: the first of two steps. Between them the caller fetches the logprobs that an algorithm needs (scores.ts).
// The unit of comparison is (group, agent): a group with two trainable agents is credited twice, once as each of them sees it.
import { type CreditGroup, HoneError, type Rollout, type Sample } from "@hone/core";
import type { FinishedGroup } from "../nouns.ts";
import { type SampleSettings, toSamples } from "./to-samples.ts";

/** The rollouts of one task that finished: failed ones are not among them. */
type Compared = Pick<FinishedGroup, "rollouts">;

export interface Collected {
  readonly groups: readonly CreditGroup[];
  /** By environment. */
  readonly counts: ReadonlyMap<string, CollectedCounts>;
}
export interface CollectedCounts {
  readonly rollouts: number;
  readonly truncated: number;
  readonly cutTokens: number;
}

export function collectSamples(groups: readonly Compared[], settings: SampleSettings): Collected {
  const counts = new Map<string, { rollouts: number; truncated: number; cutTokens: number }>();
  const collected = groups.flatMap(({ rollouts }) => {
    const env = rollouts[0]?.env ?? "";
    const count = counts.get(env) ?? { rollouts: 0, truncated: 0, cutTokens: 0 };
    counts.set(env, count);
    const samples = rollouts.map((rollout) => {
      refuseFailed(rollout);
      const made = toSamples(rollout, settings);
      count.rollouts++;
      if (rollout.truncated) count.truncated++;
      count.cutTokens += made.cutTokens;
      return made.samples;
    });
    return trainableAgents(rollouts).map((agent) => seenBy({ env, rollouts, samples, agent }));
  });
  return { groups: collected, counts };
}

/** What is left for an agent: the rollouts it was trained in, and its own samples of them. */
function seenBy({ env, rollouts, samples, agent }: CreditGroup): CreditGroup {
  const own = rollouts.flatMap((rollout, index): [Rollout, readonly Sample[]][] => {
    const isTrainable = rollout.agents.some(({ name, trainable }) => name === agent && trainable);
    return isTrainable ? [[rollout, (samples[index] ?? []).filter((sample) => sample.agent === agent)]] : [];
  });
  return {
    env,
    agent,
    rollouts: own.map(([rollout]) => rollout),
    samples: own.map(([, ofRollout]) => ofRollout),
  };
}

function trainableAgents(rollouts: readonly Rollout[]): string[] {
  const names: string[] = [];
  for (const { agents } of rollouts)
    for (const { name, trainable } of agents) if (trainable && !names.includes(name)) names.push(name);
  return names;
}

function refuseFailed({ id, failure }: Rollout): void {
  if (failure === undefined) return;
  throw new HoneError(`rollout ${id} failed at the ${failure.boundary} and must not be trained on`, {
    code: "failed-rollout",
    hint: "Leave failed rollouts out of a group.",
  });
}
