// Samples back onto the messages they were made of: the inverse of core's `samplesOf`. A column is taken over only where the token ids agree,
// since a run may have cut a sequence, or have made the rollout again after the samples were written.
import { branchesOf, type MessageNode, type Sample } from "@hone/core";
import type { TokenCredit } from "../app/rollout-types.ts";

/** By node. Of several samples that hold a message, the one that trains it counts. */
export function creditByNode(
  nodes: readonly MessageNode[],
  samples: readonly Sample[],
): ReadonlyMap<number, TokenCredit> {
  const credit = new Map<number, TokenCredit>();
  const branches = branchesOf(nodes);
  for (const sample of samples) {
    let at = 0;
    for (const index of branches[sample.branch] ?? []) {
      const tokens = nodes[index]?.tokens;
      if (tokens === undefined) continue;
      if (!agrees(sample.tokens, tokens.ids, at)) break;
      const from = at + tokens.sampledFrom;
      const own = part(sample, from, Math.min(from + tokens.logprobs.length, sample.tokens.length));
      if (own.weights.some((weight) => weight !== 0) || !credit.has(index)) credit.set(index, own);
      at += tokens.ids.length;
    }
  }
  return credit;
}

/** As far as the sample goes; not at all when it ended before. */
function agrees(tokens: Int32Array, ids: Int32Array, at: number): boolean {
  const length = Math.min(ids.length, tokens.length - at);
  if (length <= 0) return false;
  for (let index = 0; index < length; index++) if (tokens[at + index] !== ids[index]) return false;
  return true;
}

function part({ advantage, weight, reference }: Sample, from: number, to: number): TokenCredit {
  return {
    advantages: rounded(advantage, from, to),
    weights: rounded(weight, from, to),
    ...(reference === undefined ? {} : { references: rounded(reference, from, to) }),
  };
}

/** Five digits: more than anyone reads, and half the bytes. */
function rounded(column: Float32Array, from: number, to: number): readonly number[] {
  return Array.from(column.subarray(from, to), (value) => (Number.isFinite(value) ? Number(value.toPrecision(5)) : 0));
}
