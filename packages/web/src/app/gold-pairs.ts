// Which reply is held against which text that is right. Replies that an environment recorded as right come first, turn by turn; else a field of the task.
import type { Json } from "@hone/core";
import type { RolloutDetail } from "./rollout-types.ts";
import { findGold } from "./find-answer.ts";

export interface GoldPair {
  /** From 1; undefined where there is only one. */
  readonly turn?: number;
  /** The message of the reply. */
  readonly node: number;
  readonly reply: string;
  readonly gold: string;
}

export interface GoldPairs {
  /** The field of the task it was found in; undefined when it was recorded as a reply that is right. */
  readonly field?: string;
  readonly pairs: readonly GoldPair[];
  /** What would have been right, where there is no reply to hold against it. */
  readonly missing: readonly string[];
}

export function goldPairs({
  gold,
  task,
  nodes,
}: Pick<RolloutDetail, "gold" | "task" | "nodes">): GoldPairs | undefined {
  const { field, texts } = knownGold(gold, task);
  if (texts.length === 0) return undefined;
  const found = field === undefined ? {} : { field };
  const replies = nodes.flatMap(({ sampled, message }, node) =>
    sampled && message.role === "assistant" ? [{ node, reply: message.content }] : [],
  );
  const [last] = replies.slice(-1);
  if (last === undefined) return { ...found, pairs: [], missing: texts };
  // Replies of tools in between, or turns that the gold does not need: only the ends can be held against each other.
  const isTurnByTurn = texts.length > 1 && replies.length <= texts.length;
  if (!isTurnByTurn) return { ...found, pairs: [{ ...last, gold: texts.at(-1) ?? "" }], missing: [] };
  return {
    ...found,
    pairs: replies.map((one, index) => ({ ...one, turn: index + 1, gold: texts[index] ?? "" })),
    missing: texts.slice(replies.length),
  };
}

function knownGold(gold: RolloutDetail["gold"], task: Json): { field?: string; texts: readonly string[] } {
  if (gold !== null && gold.length > 0) return { texts: gold };
  const found = findGold(task);
  return found === undefined ? { texts: [] } : { field: found.field, texts: [found.text] };
}
