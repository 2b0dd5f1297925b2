// Dr. GRPO (arXiv 2503.20783): GRPO without its two biases. No deviation, which favours tasks that are nearly solved or nearly hopeless,
// and a constant instead of each sequence's length, which favours short right answers and long wrong ones.
import type { Algorithm } from "@hone/core";
import * as z from "zod";
import { fromRewards, rewardFields } from "./from-rewards.ts";
import { checkLoss, lossFields, lossOf } from "./loss-config.ts";
import { checkNormaliser, normaliserFields } from "./normaliser-config.ts";
import { centred } from "./rewards.ts";

export const DrGrpoConfig = z
  .strictObject({
    type: z.literal("dr_grpo"),
    ...rewardFields,
    ...lossFields("ppo"),
    ...normaliserFields("constant"),
  })
  .check(checkLoss, checkNormaliser);

export function drGrpo(config: z.output<typeof DrGrpoConfig>): Algorithm {
  return fromRewards({ name: "dr_grpo", loss: lossOf(config), config, compare: centred });
}
