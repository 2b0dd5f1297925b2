// Length shaping: what a rollout cost, taken off its reward before rewards are compared.
// Lengths are those of the group's agent alone, counted in the tokens it sampled and read.
import type { Rollout } from "@hone/core";
import * as z from "zod";
import { meanOf, type ScoredGroup } from "./rewards.ts";

const share = z.number().min(0);
/** prime-rl's linear penalty, with its weights. */
export const LengthPenalty = z.strictObject({
  output: share.default(0.25).describe("weight of the tokens sampled"),
  input: share.default(0.1).describe("weight of the tokens read: prompts, tool results"),
  turns: share.default(0.1).describe("weight of the number of replies"),
});
export type LengthPenalty = z.output<typeof LengthPenalty>;

/** r - |mean(r)| (output x out / max(out) + input x in / max(in) + turns x n / max(n)), each maximum over the group and at least 1. */
export function penaliseLength(rewards: readonly number[], group: ScoredGroup, penalty: LengthPenalty): number[] {
  const lengths = group.rollouts.map((rollout) => lengthOf(rollout, group.agent));
  const longest = (of: keyof Length): number => lengths.reduce((most, length) => Math.max(most, length[of]), 1);
  const [outputTokens, inputTokens, turns] = [longest("outputTokens"), longest("inputTokens"), longest("turns")];
  const scale = Math.abs(meanOf(rewards));
  return rewards.map((reward, index) => {
    const length = lengths[index];
    if (length === undefined) return reward;
    const cost =
      penalty.output * (length.outputTokens / outputTokens) +
      penalty.input * (length.inputTokens / inputTokens) +
      penalty.turns * (length.turns / turns);
    return reward - scale * cost;
  });
}

/** DAPO's soft punishment (equation 13). */
export interface Overlong {
  /** A reply of this many tokens gets the whole penalty. */
  readonly maxTokens: number;
  /** Over this many tokens below it, the penalty grows from 0. */
  readonly windowTokens: number;
  readonly penalty: number;
}

/** By the longest reply of each rollout: the limit on tokens is one on replies. */
export function penaliseOverlong(rewards: readonly number[], group: ScoredGroup, overlong: Overlong): number[] {
  const { maxTokens, windowTokens, penalty } = overlong;
  return rewards.map((reward, index) => {
    const rollout = group.rollouts[index];
    const tokens = rollout === undefined ? 0 : lengthOf(rollout, group.agent).longestReply;
    const over = (tokens - (maxTokens - windowTokens)) / windowTokens;
    return reward - penalty * Math.min(Math.max(over, 0), 1);
  });
}

interface Length {
  readonly outputTokens: number;
  readonly inputTokens: number;
  readonly turns: number;
  readonly longestReply: number;
}

function lengthOf({ nodes }: Rollout, agent: string): Length {
  let [outputTokens, inputTokens, turns, longestReply] = [0, 0, 0, 0];
  for (const node of nodes) {
    if (node.agent !== agent || !node.sampled || node.tokens === undefined) continue;
    const { ids, logprobs } = node.tokens;
    outputTokens += logprobs.length;
    inputTokens += ids.length - logprobs.length;
    longestReply = Math.max(longestReply, logprobs.length);
    turns++;
  }
  return { outputTokens, inputTokens, turns, longestReply };
}
