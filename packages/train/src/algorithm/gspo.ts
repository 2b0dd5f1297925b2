// GSPO (arXiv 2507.18071): the ratio and its clip belong to the sequence, not to the token: s = exp(mean(p - q)) over its trained tokens.
// No engine knows this loss; it is a function of the logprobs with its own gradient, so it runs on all of them.
import type { Algorithm, CustomLoss } from "@hone/core";
import * as z from "zod";
import { fromRewards, rewardFields } from "./from-rewards.ts";
import { clipHigh, clipLow } from "./loss-config.ts";
import { checkNormaliser, normaliserFields } from "./normaliser-config.ts";
import { centred, standardised } from "./rewards.ts";

export const GspoConfig = z
  .strictObject({
    type: z.literal("gspo"),
    normaliseByStd: z.boolean().default(true).describe("divide by the deviation of the group's rewards"),
    clipLow: clipLow.default(0.9997).describe("smallest ratio of a sequence that counts"),
    clipHigh: clipHigh.default(1.0004).describe("largest ratio of a sequence that counts"),
    ...rewardFields,
    ...normaliserFields("sequence"),
  })
  .check(checkNormaliser);

export function gspo(config: z.output<typeof GspoConfig>): Algorithm {
  return fromRewards({
    name: "gspo",
    loss: sequenceLoss(config),
    config,
    compare: config.normaliseByStd ? standardised : centred,
  });
}

interface Clip {
  readonly clipLow: number;
  readonly clipHigh: number;
}

/**
 * With W = sum(weight), the means of p - q and of the advantage are weighted by weight / W, and the loss is -W min(s A, clip(s) A).
 * ds / dp = s x weight / W, so the gradient is -weight x s x A where the clip does not bind, else 0.
 */
export function sequenceLoss({ clipLow, clipHigh }: Clip): CustomLoss {
  return (logprobs, { weight, advantage, logprob }) => {
    let total = 0;
    let logRatio = 0;
    let credit = 0;
    for (let at = 0; at < weight.length; at++) {
      const part = weight[at]!;
      if (part === 0) continue;
      total += part;
      logRatio += part * (logprobs[at]! - logprob[at]!);
      credit += part * advantage[at]!;
    }
    if (total === 0) return { value: 0, gradient: new Float32Array(weight.length) };
    credit /= total;
    const ratio = Math.exp(logRatio / total);
    const clipped = Math.min(Math.max(ratio, clipLow), clipHigh) * credit;
    const slope = clipped < ratio * credit ? 0 : -ratio * credit;
    return {
      value: -total * Math.min(ratio * credit, clipped),
      gradient: weight.map((part) => (part === 0 ? 0 : part * slope)),
    };
  };
}
