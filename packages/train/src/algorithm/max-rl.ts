// MaxRL (arXiv 2602.02710): the difference to the group's mean, divided by the mean. Tasks that are rarely solved count for more, as they do
// in the likelihood of a right answer. For rewards that are not negative; a group whose mean is not positive gets 0.
import type { Algorithm } from "@hone/core";
import * as z from "zod";
import { fromRewards, rewardFields } from "./from-rewards.ts";
import { checkLoss, lossFields, lossOf } from "./loss-config.ts";
import { checkNormaliser, normaliserFields } from "./normaliser-config.ts";
import { centred, meanOf } from "./rewards.ts";

export const MaxRlConfig = z
  .strictObject({
    type: z.literal("max_rl"),
    ...rewardFields,
    ...lossFields("ppo"),
    ...normaliserFields("token"),
  })
  .check(checkLoss, checkNormaliser);

export function maxRl(config: z.output<typeof MaxRlConfig>): Algorithm {
  return fromRewards({ name: "max_rl", loss: lossOf(config), config, compare: relativeToMean });
}

function relativeToMean(rewards: readonly number[]): number[] {
  const mean = meanOf(rewards);
  // Rewards of both signs can add up to what is only rounding; dividing by it would make credit of noise.
  const isPositive = mean > 1e-9 * Math.max(...rewards.map(Math.abs));
  return centred(rewards).map((difference) => (isPositive ? difference / mean : 0));
}
