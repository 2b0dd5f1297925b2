// What algorithms that compare the rewards of a group share: shaping, comparing, the penalty for leaving the starting policy.
// Each algorithm is its comparison and its loss; none of them has state.
import type { Algorithm, CustomLoss, LossSpec, Sample } from "@hone/core";
import { klFields, type KlConfig, klNeeds, withKl } from "./kl.ts";
import { LengthPenalty, penaliseLength } from "./length.ts";
import { rewardsOf, type ScoredGroup } from "./rewards.ts";

/** Keys of every algorithm that compares rewards. */
export const rewardFields = {
  ...klFields,
  lengthPenalty: LengthPenalty.exactOptional().describe(
    "takes length off the reward, relative to the longest rollout of the group; no penalty unless given",
  ),
};
export interface RewardConfig extends KlConfig {
  readonly lengthPenalty?: LengthPenalty;
}

export interface RewardAlgorithm {
  readonly name: string;
  readonly loss: LossSpec | CustomLoss;
  readonly config: RewardConfig;
  /** Shaped rewards of a group to a number each. Rewards that agree give 0. */
  readonly compare: (rewards: readonly number[]) => readonly number[];
  /** Rewards before they are compared. */
  readonly shape?: (rewards: readonly number[], group: ScoredGroup) => readonly number[];
  readonly finish?: (batch: readonly Sample[]) => readonly Sample[];
}

export function fromRewards({ name, loss, config, compare, shape, finish }: RewardAlgorithm): Algorithm {
  const { lengthPenalty } = config;
  return {
    name,
    needs: klNeeds(config),
    loss,
    credit: (group, state) => {
      const rewards = rewardsOf(group);
      const briefed = lengthPenalty === undefined ? rewards : penaliseLength(rewards, group, lengthPenalty);
      return { credit: withKl(compare(shape?.(briefed, group) ?? briefed), group, config), state };
    },
    ...(finish && { finish }),
  };
}
