// Conversation to tokens with their mask. Trained is exactly what a policy would have sampled: the words of a reply and the token that ends
// it, never the header before it nor anybody else's words. Two ways lead there; what one cannot tell, the other is asked.
import { HoneError } from "@hone/core";
import type { Renderer } from "@hone/tokens";
import type { Conversation } from "./conversation.ts";

/** Five bytes a token. */
export interface TokenRow {
  readonly tokens: Int32Array;
  /** 1 where it is trained. Never at the first token: it follows nothing. */
  readonly trained: Uint8Array;
}

export type TrainOn = "all" | "last";

/** More replies than this, and rendering once with its spans is cheaper than a prompt for each. */
const fewReplies = 4;

export function tokenise(conversation: Conversation, renderer: Renderer, trainOn: TrainOn): TokenRow {
  const { messages, tools } = conversation;
  const replies = trainOn === "last" ? conversation.replies.slice(-1) : conversation.replies;
  const rendered = renderer.render(messages, { tools, addGenerationPrompt: false }).ids;
  const asked: Asked = { conversation, renderer, replies, ids: rendered };
  const ranges =
    replies.length <= fewReplies
      ? (fromPrompts(asked) ?? fromSpans(asked))
      : (unlessRefused(() => fromSpans(asked)) ?? fromPrompts(asked) ?? fromSpans(asked));
  return tokenRow(rendered, ranges);
}

/** What follows the last trained token teaches nothing and costs as much: it is left off. */
export function tokenRow(ids: Int32Array, ranges: readonly Range[]): TokenRow {
  const length = ranges.reduce((longest, { end }) => Math.max(longest, end), 0);
  const trained = new Uint8Array(length);
  for (const { start, end } of ranges) trained.fill(1, start, end);
  trained.fill(0, 0, 1);
  return { tokens: ids.slice(0, length), trained };
}

interface Asked {
  readonly conversation: Conversation;
  readonly renderer: Renderer;
  /** Indices of messages. */
  readonly replies: readonly number[];
  readonly ids: Int32Array;
}
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** What stands after the prompt of a reply, up to the token that ends it. Undefined where a prompt is not how the conversation begins. */
function fromPrompts({ conversation: { messages, tools }, renderer, replies, ids }: Asked): Range[] | undefined {
  const ranges: Range[] = [];
  for (const index of replies) {
    const prompt = unlessRefused(
      () => renderer.render(messages.slice(0, index), { tools, addGenerationPrompt: true }).ids,
    );
    if (prompt === undefined || !startsWith(ids, prompt)) return undefined;
    const stop = ids.subarray(prompt.length).findIndex((id) => renderer.stopTokens.includes(id));
    if (stop < 0) return undefined;
    ranges.push({ start: prompt.length, end: prompt.length + stop + 1 });
  }
  return ranges;
}

function fromSpans({ conversation: { messages, tools }, renderer, replies }: Asked): Range[] {
  const spans = renderer.spans(messages, { tools, addGenerationPrompt: false });
  return replies.flatMap((index) => spans[index]?.reply ?? []);
}

/** Some templates render no part of a conversation, or do not tell which tokens are whose. */
function unlessRefused<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (HoneError.is(error) && ["chat-template", "template-spans"].includes(error.code)) return undefined;
    throw error;
  }
}

function startsWith(ids: Int32Array, start: Int32Array): boolean {
  if (start.length > ids.length) return false;
  for (let at = 0; at < start.length; at++) if (ids[at] !== start[at]) return false;
  return true;
}
