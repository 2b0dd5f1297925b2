// Supervised fine-tuning as an algorithm: the likelihood of what was sampled, with credit 1. With `minReward` it is rejection sampling:
// only rollouts that earned as much are imitated. Cross-entropy reads no advantage, so credit 0 becomes weight 0 at the end.
import type { Algorithm, Sample } from "@hone/core";
import * as z from "zod";
import { checkNormaliser, normaliserFields } from "./normaliser-config.ts";
import { rewardsOf } from "./rewards.ts";

export const SftConfig = z
  .strictObject({
    type: z.literal("sft"),
    minReward: z.number().exactOptional().describe("only rollouts with at least this reward; all unless given"),
    ...normaliserFields("token"),
  })
  .check(checkNormaliser);

export function sft({ minReward }: z.output<typeof SftConfig>): Algorithm {
  return {
    name: "sft",
    needs: [],
    loss: { type: "cross_entropy" },
    credit: (group, state) => {
      const isKept = (reward: number): boolean => minReward === undefined || reward >= minReward;
      const rewards = minReward === undefined ? group.rollouts.map(() => 0) : rewardsOf(group);
      return { credit: rewards.map((reward) => (isKept(reward) ? 1 : 0)), state };
    },
    finish: (batch) => batch.map(trainOnlyCredited),
  };
}

function trainOnlyCredited(sample: Sample): Sample {
  const { weight, advantage } = sample;
  return { ...sample, weight: weight.map((trained, at) => (advantage[at] === 0 ? 0 : trained)) };
}
