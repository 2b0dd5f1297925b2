// Reward to number: what each rollout of a group earned, seen from the group's agent, and how rewards are compared.
// Invariant: rewards that agree compare as exactly 0, whatever rounding does to their mean.
import { type CreditGroup, HoneError } from "@hone/core";

/** What a comparison looks at: no samples, so a group can be judged as soon as it has finished. */
export type ScoredGroup = Pick<CreditGroup, "agent" | "rollouts">;

/** One reward per rollout, in their order. A rollout without a reward has failed, and failed rollouts do not belong here. */
export function rewardsOf({ agent, rollouts }: ScoredGroup): number[] {
  return rollouts.map(({ id, agents }) => {
    const reward = agents.find(({ name }) => name === agent)?.reward ?? null;
    if (reward !== null && Number.isFinite(reward)) return reward;
    throw new HoneError(`rollout ${id} has no reward for agent "${agent}": it is ${reward}`, {
      code: "no-reward",
      hint: "Only rollouts that finished and were scored with a finite number can be trained on.",
    });
  });
}

/** Rewards closer than this are one reward, computed along two ways. */
const sameWithin = 1e-9;

/** Whether rewards differ: a group whose rewards agree teaches nothing. For filtering by difficulty; unshaped rewards. */
export function hasSignal(group: ScoredGroup): boolean {
  return differ(rewardsOf(group));
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
}

/** r - mean(r). */
export function centred(rewards: readonly number[]): number[] {
  if (!differ(rewards)) return rewards.map(() => 0);
  const mean = meanOf(rewards);
  return rewards.map((reward) => reward - mean);
}

/** Beside the deviation in a denominator, so that differences of a millionth are not blown up to 1. */
const smallDeviation = 1e-6;

/** (r - mean(r)) / std(r), with the deviation of the group itself (divided by n). */
export function standardised(rewards: readonly number[]): number[] {
  const differences = centred(rewards);
  const deviation = Math.sqrt(meanOf(differences.map((difference) => difference ** 2)));
  return differences.map((difference) => difference / (deviation + smallDeviation));
}

function differ(rewards: readonly number[]): boolean {
  const [first = 0] = rewards;
  return rewards.some((reward) => Math.abs(reward - first) > sameWithin);
}
