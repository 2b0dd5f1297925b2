// Memory of what a server wants back unchanged (signed thinking, encrypted reasoning), found by the message it belongs to.
// A rollout's message keeps the text only and may have crossed a worker or a file, so identity cannot be used; its content is the key.
// Bounded: the longest unused goes first, and a forgotten block costs its reasoning, not the conversation.
import { createHash } from "node:crypto";
import type { AssistantMessage, Json } from "@hone/core";
import type { Recall } from "./dialect/dialect.ts";

export interface CarryMemory {
  readonly recall: Recall;
  readonly remember: (message: AssistantMessage, carry: Json) => void;
}

export function createCarryMemory(options: { readonly maxCharacters: number }): CarryMemory {
  const entries = new Map<string, { readonly carry: Json; readonly size: number }>();
  let total = 0;
  const forget = (key: string): void => {
    total -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  };
  return {
    recall: (message) => {
      // Most endpoints never carry anything; then no message is ever hashed.
      if (entries.size === 0) return undefined;
      const key = keyOf(message);
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.carry;
    },
    remember: (message, carry) => {
      const key = keyOf(message);
      forget(key);
      const size = JSON.stringify(carry).length;
      entries.set(key, { carry, size });
      total += size;
      for (const oldest of entries.keys()) {
        if (total <= options.maxCharacters) break;
        forget(oldest);
      }
    },
  };
}

function keyOf({ content, reasoning, toolCalls }: AssistantMessage): string {
  const calls = (toolCalls ?? []).map((call) => [call.id, call.name, call.arguments]);
  return createHash("sha256")
    .update(JSON.stringify([content, reasoning ?? null, calls]))
    .digest("base64");
}
