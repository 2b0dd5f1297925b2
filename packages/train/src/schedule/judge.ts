// Whether a finished group enters a batch, decided when the batch is cut. Age is that of the oldest token it would train, queue time included.
import { HoneError, type Rollout } from "@hone/core";
import type { FinishedGroup, Verdict } from "../nouns.ts";

export interface JudgeOptions {
  /** Replace groups whose rewards all agree. */
  readonly filter: boolean;
  readonly maxOffPolicySteps: number;
  /** What becomes of groups older than that. */
  readonly stale: "drop" | "keep";
}

export function judge(group: FinishedGroup, step: number, options: JudgeOptions): Verdict {
  const { rollouts, policyVersion, isShort } = group;
  const { filter, stale } = options;
  // One that was given up is short as well, and what it lacks is not what was wrong with it.
  if (isShort) return stale === "drop" && step - 1 - policyVersion > options.maxOffPolicySteps ? "stale" : "failed";
  if (stale === "drop" && isStale(group, step, options)) return "stale";
  const rewards = rollouts.map(rewardOf);
  if (filter && rewards.every((reward) => reward === rewards[0])) return "no_signal";
  return "trained";
}

export function isStale({ rollouts }: FinishedGroup, step: number, options: Pick<JudgeOptions, "maxOffPolicySteps">) {
  return ageOf(rollouts, step) > options.maxOffPolicySteps;
}

/** Updates between the oldest policy that sampled a token and the one this batch trains: (step - 1) - version. */
function ageOf(rollouts: readonly Rollout[], step: number): number {
  let oldest = step - 1;
  for (const { nodes } of rollouts) {
    for (const { tokens } of nodes)
      for (const version of tokens?.policyVersion.values ?? []) oldest = Math.min(oldest, version);
  }
  return step - 1 - oldest;
}

export function rewardOf(rollout: Rollout): number {
  const reward = rollout.agents[0]?.reward ?? null;
  if (reward !== null) return reward;
  throw new HoneError(`Rollout ${rollout.id} has no reward.`, { code: "no-reward" });
}

export function meanReward(rollouts: readonly Rollout[]): number {
  return rollouts.reduce((sum, rollout) => sum + rewardOf(rollout), 0) / rollouts.length;
}
