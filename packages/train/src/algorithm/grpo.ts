// GRPO (DeepSeekMath, arXiv 2402.03300): a rollout is credited with how far its reward lies above its group's mean, in deviations of the
// group. Without the deviation it is the form prime-rl uses; Dr. GRPO also changes the normaliser.
import type { Algorithm } from "@hone/core";
import * as z from "zod";
import { fromRewards, rewardFields } from "./from-rewards.ts";
import { checkLoss, lossFields, lossOf } from "./loss-config.ts";
import { checkNormaliser, normaliserFields } from "./normaliser-config.ts";
import { centred, standardised } from "./rewards.ts";

export const GrpoConfig = z
  .strictObject({
    type: z.literal("grpo"),
    normaliseByStd: z.boolean().default(true).describe("divide by the deviation of the group's rewards"),
    ...rewardFields,
    ...lossFields("ppo"),
    ...normaliserFields("token"),
  })
  .check(checkLoss, checkNormaliser);

export function grpo(config: z.output<typeof GrpoConfig>): Algorithm {
  return fromRewards({
    name: "grpo",
    loss: lossOf(config),
    config,
    compare: config.normaliseByStd ? standardised : centred,
  });
}
