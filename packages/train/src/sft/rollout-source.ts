// Saved rollouts as conversations to imitate. Where the policy's own ids were saved they are trained as they are, never tokenised again;
// rollouts of other models are rendered from their messages. They are read once and kept: five bytes a token.
import { branchesOf, HoneError, type Message, type Rollout, type Sample, samplesOf, sha256Hex } from "@hone/core";
import { isRun, readRollouts } from "@hone/store";
import type { Renderer } from "@hone/tokens";
import { basename } from "node:path";
import { hashOf } from "./line-index.ts";
import { chooseRollouts, type RolloutFilter } from "./rollout-choice.ts";
import type { OpenedSource } from "./source.ts";
import { type Range, type TokenRow, tokenise, tokenRow, type TrainOn } from "./tokenise.ts";

export interface RolloutSourceOptions extends RolloutFilter {
  /** A run directory, or the folder of an evaluation. */
  readonly directory: string;
  readonly weight?: number;
  readonly renderer: Renderer;
  readonly trainOn: TrainOn;
  /** Render from the messages also where ids were saved: they are those of another tokenizer. */
  readonly isRendered?: boolean;
}

export async function openRollouts(options: RolloutSourceOptions): Promise<OpenedSource> {
  const { directory, weight, renderer, trainOn, isRendered = false } = options;
  const name = basename(directory);
  if (!(await isRun(directory))) {
    throw new HoneError(`${directory} is not a run: it has no run.toml.`, {
      code: "not-a-run",
      hint: "Name a folder under runs/ or evals/.",
    });
  }
  const choice = await chooseRollouts(directory, options);
  const rows = new Map<string, SavedRow[]>();
  for await (const rollout of readRollouts(directory)) {
    if (choice.ids.has(rollout.id)) rows.set(rollout.id, rowsOf(rollout, { renderer, trainOn, isRendered }));
  }
  const kept = [...rows.values()].flat();
  if (kept.length === 0) throw nothingLeft(name, choice.found);
  return {
    source: {
      name,
      size: kept.length,
      labelOf: () => name,
      hashOf: (row) => kept[row]?.hash ?? 0,
      read: async (row) => {
        const found = kept[row];
        if (found === undefined) throw new RangeError(`${name} has no row ${row}`);
        return found;
      },
      [Symbol.asyncDispose]: async () => undefined,
    },
    weight,
    fingerprint: sha256Hex([...rows.keys()].join("\n")).slice(0, 16),
  };
}

interface SavedRow extends TokenRow {
  /** Of the task, so that its rollouts are held out together or not at all. */
  readonly hash: number;
}
type Reading = Required<Pick<RolloutSourceOptions, "renderer" | "trainOn" | "isRendered">>;

function rowsOf(rollout: Rollout, reading: Reading): SavedRow[] {
  const hash = hashOf(`${rollout.env}\n${rollout.taskId}`);
  const hasTokens = rollout.nodes.some(({ tokens }) => tokens !== undefined);
  if (!hasTokens || reading.isRendered) return rendered(rollout, reading).map((row) => ({ ...row, hash }));
  checkTokenizer(rollout, reading.renderer);
  return samplesOf(rollout).map((sample) => ({ ...tokenRow(sample.tokens, rangesOf(sample, reading.trainOn)), hash }));
}

/** Ids of another model's tokenizer would train nonsense, and nothing else would tell. */
function checkTokenizer(rollout: Rollout, renderer: Renderer): void {
  const node = rollout.nodes.find(({ sampled, tokens }) => sampled && tokens !== undefined);
  if (node?.tokens === undefined || node.message.role !== "assistant") return;
  const { ids, sampledFrom, logprobs } = node.tokens;
  const { message } = renderer.parse(ids.subarray(sampledFrom, sampledFrom + logprobs.length), {
    prompt: ids.subarray(0, sampledFrom),
    hasTools: node.message.toolCalls !== undefined,
  });
  if (message.content === node.message.content) return;
  throw new HoneError(`The tokens of rollout ${rollout.id} are not those of this model's tokenizer.`, {
    code: "tokenizer",
    hint: "Set render = true in its [[data]]: the messages are then tokenised anew.",
  });
}

/** Stretches of trained tokens; with "last", the last one. */
function rangesOf({ weight }: Sample, trainOn: TrainOn): Range[] {
  const ranges: Range[] = [];
  for (let start = 0; start < weight.length; start++) {
    if (weight[start] === 0) continue;
    let end = start;
    while (end < weight.length && weight[end] !== 0) end++;
    ranges.push({ start, end });
    start = end;
  }
  return trainOn === "last" ? ranges.slice(-1) : ranges;
}

/** Each branch as a conversation; a message is trained in its first branch only. */
function rendered(rollout: Rollout, { renderer, trainOn }: Reading): TokenRow[] {
  const trainable = new Set(rollout.agents.flatMap(({ name, trainable: isTrainable }) => (isTrainable ? [name] : [])));
  const trained = new Set<number>();
  return branchesOf(rollout.nodes).flatMap((path) => {
    const messages: Message[] = [];
    const replies: number[] = [];
    for (const at of path) {
      const node = rollout.nodes[at];
      if (node === undefined) continue;
      const isReply = node.sampled && node.message.role === "assistant" && trainable.has(node.agent);
      if (isReply && !trained.has(at)) replies.push(messages.length);
      if (isReply) trained.add(at);
      messages.push(node.message);
    }
    return replies.length === 0 ? [] : [tokenise({ messages, tools: [], replies }, renderer, trainOn)];
  });
}

function nothingLeft(name: string, found: number): HoneError {
  return new HoneError(`Of the ${found} rollouts in ${name} none is left to train on.`, {
    code: "no-data",
    hint:
      found === 0
        ? "It holds no rollouts at all."
        : "Lower min_reward, or check env; failed rollouts are never trained on, truncated ones with truncated = true.",
  });
}
