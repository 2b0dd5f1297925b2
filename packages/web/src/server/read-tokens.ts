// The tokens of one rollout: what they say, how likely they were, which policy sampled them, and the credit that an update gave them.
import type { Awaitable, Rollout } from "@hone/core";
import type { TokenColumns, TokenCredit, TokenPage } from "../app/rollout-types.ts";
import type { RolloutPlace } from "./read-rollout.ts";
import { findRollout, readLine } from "./rollout-line.ts";
import type { SampleIndex } from "./sample-index.ts";
import { creditByNode } from "./token-credit.ts";

/** What token ids say, one text per id. Handed in by whoever knows tokenizers; undefined when the model's is not known. */
export type TokenTexts = (model: string, ids: Int32Array) => Awaitable<readonly string[] | undefined>;

export interface TokenSources {
  readonly samples: SampleIndex;
  /** The update in which the ledger books a group. */
  readonly bookedIn: (group: string) => number | undefined;
  readonly tokenTexts: TokenTexts | undefined;
}

export async function readTokens(
  folder: string,
  { index, step, id }: RolloutPlace,
  { samples, bookedIn, tokenTexts }: TokenSources,
): Promise<TokenPage> {
  const { found } = await findRollout(index, step, id);
  const { rollout, lost } = await readLine(folder, found, "tokens");
  const trainedIn = bookedIn(found.group) ?? step;
  const own = await samples.of(trainedIn, id);
  const credit = creditByNode(rollout.nodes, own);
  const model = rollout.agents[0]?.model ?? "";
  const nodes: { readonly node: number; readonly tokens: TokenColumns }[] = [];
  for (const [node, { tokens }] of rollout.nodes.entries()) {
    if (tokens === undefined) continue;
    const texts = (await tokenTexts?.(model, tokens.ids)) ?? null;
    nodes.push({ node, tokens: toColumns(tokens, credit.get(node), texts) });
  }
  return { nodes, lost, trainedIn: own.length > 0 ? trainedIn : null };
}

function toColumns(
  { ids, sampledFrom, logprobs, policyVersion }: NonNullable<Rollout["nodes"][number]["tokens"]>,
  credit: TokenCredit | undefined,
  texts: TokenColumns["texts"],
): TokenColumns {
  return {
    ids: [...ids],
    sampledFrom,
    logprobs: Array.from(logprobs, (value) => (Number.isFinite(value) ? Number(value.toFixed(4)) : -100)),
    versions: policyVersion,
    texts,
    ...(credit === undefined ? {} : { credit }),
  };
}
