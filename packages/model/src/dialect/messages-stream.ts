// Events of a streamed Anthropic message, folded into the body of an unstreamed one.
import { at, isObject, listOf, parseJson, textOrNone } from "../wire.ts";
import { parseChunk } from "./chat-stream.ts";
import { invalid, type ServerEvent, type WireReply, type WireStream } from "./dialect.ts";

/** Which field of a block each kind of delta lengthens, and where the delta has it. */
const growth: ReadonlyMap<unknown, { readonly field: string; readonly from: string }> = new Map([
  ["text_delta", { field: "text", from: "text" }],
  ["thinking_delta", { field: "thinking", from: "thinking" }],
  ["signature_delta", { field: "signature", from: "signature" }],
  ["input_json_delta", { field: "inputText", from: "partial_json" }],
]);

export function createMessagesStream(replyFrom: (body: unknown) => WireReply): WireStream {
  const blocks = new Map<unknown, Record<string, unknown>>();
  let head: Record<string, unknown> | undefined;
  let usage: Record<string, unknown> = {};
  let stopReason: unknown;
  let isDone = false;

  const grow = (index: unknown, delta: unknown): void => {
    const rule = growth.get(at(delta, "type"));
    const block = blocks.get(index);
    const piece = rule === undefined ? undefined : textOrNone(at(delta, rule.from));
    if (rule === undefined || block === undefined || piece === undefined) return;
    const before = block[rule.field];
    block[rule.field] = (typeof before === "string" ? before : "") + piece;
  };

  return {
    push: ({ data }: ServerEvent) => {
      const event = parseChunk(data);
      switch (at(event, "type")) {
        case "message_start": {
          const message = at(event, "message");
          head = isObject(message) ? { ...message } : {};
          usage = { ...asObject(head["usage"]) };
          return false;
        }
        case "content_block_start":
          blocks.set(at(event, "index"), { ...asObject(at(event, "content_block")) });
          return false;
        case "content_block_delta":
          grow(at(event, "index"), at(event, "delta"));
          return false;
        case "message_delta":
          stopReason = at(event, "delta", "stop_reason") ?? stopReason;
          usage = { ...usage, ...withoutNulls(asObject(at(event, "usage"))) };
          return false;
        case "message_stop":
          return (isDone = true);
        default:
          return false;
      }
    },
    finish: () => {
      if (head === undefined || (!isDone && stopReason === undefined)) {
        throw invalid("the stream ended before the reply did");
      }
      const given = listOf(head["content"]);
      const content = blocks.size > 0 ? [...blocks.values()].map(closed) : given;
      return replyFrom({ ...head, content, usage, stop_reason: stopReason ?? head["stop_reason"] });
    },
  };
}

/** The input of a tool arrives as text; text that is no JSON stays text. */
function closed(block: Record<string, unknown>): Record<string, unknown> {
  const { inputText, ...rest } = block;
  return typeof inputText === "string" ? { ...rest, input: parseJson(inputText) ?? inputText } : rest;
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function withoutNulls(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
}
