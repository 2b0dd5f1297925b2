// DAPO (arXiv 2503.14476): GRPO whose clip leaves more room upwards, a mean over tokens, and a reward that falls as a reply nears its limit.
// Its dynamic sampling is difficulty filtering: `hasSignal` looks at rewards before this shaping, as DAPO does.
import { type Algorithm, HoneError } from "@hone/core";
import * as z from "zod";
import { fromRewards } from "./from-rewards.ts";
import { klFields } from "./kl.ts";
import { type Overlong, penaliseOverlong } from "./length.ts";
import { clipHigh, clipLow } from "./loss-config.ts";
import { type AlgorithmContext, checkNormaliser, normaliserFields, required } from "./normaliser-config.ts";
import { centred, standardised } from "./rewards.ts";

const tokens = z.int().positive().exactOptional();
export const DapoConfig = z
  .strictObject({
    type: z.literal("dapo"),
    normaliseByStd: z.boolean().default(true).describe("divide by the deviation of the group's rewards"),
    clipLow: clipLow.default(0.8).describe("smallest ratio that counts"),
    clipHigh: clipHigh.default(1.28).describe("largest ratio that counts"),
    overlongTokens: tokens.describe("a reply this long is punished in full; sampling's max_tokens unless given"),
    overlongWindowTokens: tokens.describe("the punishment grows over this many tokens; a fifth of that unless given"),
    overlongPenalty: z.number().min(0).default(1).describe("the full punishment, taken off the reward; 0 for none"),
    ...klFields,
    ...normaliserFields("token"),
  })
  .check(checkNormaliser);
type DapoConfig = z.output<typeof DapoConfig>;

export function dapo(config: DapoConfig, context: AlgorithmContext = {}): Algorithm {
  const { clipLow, clipHigh, normaliseByStd } = config;
  const overlong = config.overlongPenalty === 0 ? undefined : overlongOf(config, context);
  return fromRewards({
    name: "dapo",
    loss: { type: "ppo", clipLow, clipHigh },
    config,
    shape: (rewards, group) => (overlong === undefined ? rewards : penaliseOverlong(rewards, group, overlong)),
    compare: normaliseByStd ? standardised : centred,
  });
}

function overlongOf(
  { overlongTokens, overlongWindowTokens, overlongPenalty }: DapoConfig,
  context: AlgorithmContext,
): Overlong {
  const maxTokens = required(overlongTokens ?? context.maxTokens, "overlong_tokens");
  const windowTokens = overlongWindowTokens ?? Math.max(1, Math.round(maxTokens / 5));
  if (windowTokens <= maxTokens) return { maxTokens, windowTokens, penalty: overlongPenalty };
  throw new HoneError(`overlong_window_tokens is ${windowTokens}, more than the ${maxTokens} a reply may have`, {
    code: "config",
    hint: "Every reply would be punished. Make the window smaller than the limit on replies.",
  });
}
