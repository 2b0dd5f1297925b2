// CISPO (MiniMax-M1, arXiv 2506.13585): credit as in GRPO; the ratio is clipped and held fixed, so that every token keeps its gradient,
// also the rare ones that a ppo clip would silence.
import type { Algorithm } from "@hone/core";
import * as z from "zod";
import { fromRewards, rewardFields } from "./from-rewards.ts";
import { clipHigh, clipLow } from "./loss-config.ts";
import { checkNormaliser, normaliserFields } from "./normaliser-config.ts";
import { centred, standardised } from "./rewards.ts";

export const CispoConfig = z
  .strictObject({
    type: z.literal("cispo"),
    normaliseByStd: z.boolean().default(true).describe("divide by the deviation of the group's rewards"),
    clipLow: clipLow.default(0).describe("smallest ratio; a smaller one counts as this"),
    clipHigh: clipHigh.default(4).describe("largest ratio; a larger one counts as this"),
    ...rewardFields,
    ...normaliserFields("token"),
  })
  .check(checkNormaliser);

export function cispo(config: z.output<typeof CispoConfig>): Algorithm {
  const { clipLow, clipHigh, normaliseByStd } = config;
  return fromRewards({
    name: "cispo",
    loss: { type: "cispo", clipLow, clipHigh },
    config,
    compare: normaliseByStd ? standardised : centred,
  });
}
