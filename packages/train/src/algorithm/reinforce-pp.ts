// REINFORCE++ with a baseline (arXiv 2501.03262): centred in the group, then divided by the deviation over all trained tokens of the batch.
// The batch's mean is not taken off again, so a group whose rewards agree stays at 0.
import type { Algorithm, Sample } from "@hone/core";
import * as z from "zod";
import { fromRewards, rewardFields } from "./from-rewards.ts";
import { checkLoss, lossFields, lossOf } from "./loss-config.ts";
import { checkNormaliser, normaliserFields } from "./normaliser-config.ts";
import { centred } from "./rewards.ts";

export const ReinforcePpConfig = z
  .strictObject({
    type: z.literal("reinforce_pp"),
    ...rewardFields,
    ...lossFields("ppo"),
    ...normaliserFields("token"),
  })
  .check(checkLoss, checkNormaliser);

export function reinforcePp(config: z.output<typeof ReinforcePpConfig>): Algorithm {
  return fromRewards({
    name: "reinforce_pp",
    loss: lossOf(config),
    config,
    compare: centred,
    finish: divideByDeviation,
  });
}

function divideByDeviation(batch: readonly Sample[]): readonly Sample[] {
  const deviation = advantageDeviation(batch);
  if (deviation === 0) return batch;
  return batch.map((sample) => ({ ...sample, advantage: sample.advantage.map((value) => value / deviation) }));
}

/** Over trained tokens, in two passes: squares of single-precision numbers lose too much in one. */
function advantageDeviation(batch: readonly Sample[]): number {
  let count = 0;
  let sum = 0;
  for (const { weight, advantage } of batch) {
    for (let at = 0; at < weight.length; at++) {
      if (weight[at] === 0) continue;
      count++;
      sum += advantage[at]!;
    }
  }
  const mean = sum / Math.max(count, 1);
  let squares = 0;
  for (const { weight, advantage } of batch) {
    for (let at = 0; at < weight.length; at++) if (weight[at] !== 0) squares += (advantage[at]! - mean) ** 2;
  }
  return Math.sqrt(squares / Math.max(count, 1));
}
