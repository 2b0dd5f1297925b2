// RLOO (arXiv 2402.14740): the baseline of a rollout is the mean of the others, so it is not compared with itself.
// r - mean(others) = n / (n - 1) x (r - mean(all)). A rollout alone has nothing to be compared with and gets 0.
import type { Algorithm } from "@hone/core";
import * as z from "zod";
import { fromRewards, rewardFields } from "./from-rewards.ts";
import { checkLoss, lossFields, lossOf } from "./loss-config.ts";
import { checkNormaliser, normaliserFields } from "./normaliser-config.ts";
import { centred } from "./rewards.ts";

export const RlooConfig = z
  .strictObject({
    type: z.literal("rloo"),
    ...rewardFields,
    ...lossFields("importance_sampling"),
    ...normaliserFields("token"),
  })
  .check(checkLoss, checkNormaliser);

export function rloo(config: z.output<typeof RlooConfig>): Algorithm {
  return fromRewards({ name: "rloo", loss: lossOf(config), config, compare: leaveOneOut });
}

function leaveOneOut(rewards: readonly number[]): number[] {
  const count = rewards.length;
  return centred(rewards).map((difference) => (count < 2 ? 0 : (difference * count) / (count - 1)));
}
