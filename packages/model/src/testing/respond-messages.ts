// Anthropic messages as a server. Thinking blocks carry a signature that is checked when they come back, as the real one checks it.
import { createHash } from "node:crypto";
import type { AssistantMessage, Content, Finish, JsonObject, Message, ModelRequest } from "@hone/core";
import { at, countOrNone, isObject, listOf, parseJson, textOrNone, type WireObject } from "../wire.ts";
import {
  BadRequest,
  frame,
  objectsIn,
  piecesOf,
  requestOf,
  type Served,
  type ServedDialect,
  toolFrom,
} from "./served.ts";

export const respondMessages: ServedDialect = {
  path: "/v1/messages",
  read: readRequest,
  write: (served) => ({ ...headOf(served), content: blocksOf(served.completion.message), ...endOf(served) }),
  *stream(served) {
    const event = (type: string, data: JsonObject = {}): string => frame({ type, ...data }, type);
    const end = endOf(served);
    yield event("message_start", {
      message: {
        ...headOf(served),
        content: [],
        ...end,
        stop_reason: null,
        usage: { ...asObject(end["usage"]), output_tokens: 1 },
      },
    });
    yield event("ping");
    for (const [index, block] of blocksOf(served.completion.message).entries()) {
      yield event("content_block_start", { index, content_block: { ...block, ...emptied(block) } });
      for (const delta of deltasOf(block)) yield event("content_block_delta", { index, delta });
      yield event("content_block_stop", { index });
    }
    const { stop_reason = null, stop_sequence = null, usage = null } = end;
    yield event("message_delta", {
      delta: { stop_reason, stop_sequence },
      usage: { output_tokens: at(usage, "output_tokens") as number },
    });
    yield event("message_stop");
  },
  error: ({ status, message }) => ({ type: "error", error: { type: errorTypes[status] ?? "api_error", message } }),
};

const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  413: "request_too_large",
  429: "rate_limit_error",
};

const stopReasons = {
  stop: "end_turn",
  length: "max_tokens",
  "tool-calls": "tool_use",
  "content-filter": "refusal",
} as const satisfies Record<Finish, string>;

function readRequest(body: WireObject): ModelRequest {
  if (countOrNone(body["max_tokens"]) === undefined) throw new BadRequest("max_tokens: Field required");
  const system = textFrom(body["system"]);
  const said: Message[] = system === "" ? [] : [{ role: "system", content: system }];
  let lastRole: unknown;
  for (const turn of objectsIn(body["messages"])) {
    if (turn["role"] === lastRole) throw new BadRequest("messages: roles must alternate");
    lastRole = turn["role"];
    said.push(...(lastRole === "assistant" ? [assistantFrom(turn["content"])] : userFrom(turn["content"])));
  }
  const tools = objectsIn(body["tools"]).map((tool) => toolFrom(tool, "input_schema"));
  return requestOf(body, said, tools);
}

function userFrom(content: unknown): readonly Message[] {
  if (typeof content === "string") return [{ role: "user", content }];
  const blocks = objectsIn(content);
  const results = blocks.filter((block) => block["type"] === "tool_result");
  const others = blocks.filter((block) => block["type"] !== "tool_result");
  return [
    ...results.map((block): Message => ({
      role: "tool",
      toolCallId: textOrNone(block["tool_use_id"]) ?? "",
      content: contentFrom(block["content"]),
      ...(block["is_error"] === true ? { isError: true } : {}),
    })),
    ...(others.length === 0 ? [] : [{ role: "user" as const, content: contentFrom(others) }]),
  ];
}

/** One text block is plain text. */
function contentFrom(content: unknown): Content {
  if (typeof content === "string") return content;
  const parts = listOf(content).map((block) => {
    if (at(block, "type") !== "image") return { type: "text" as const, text: textOrNone(at(block, "text")) ?? "" };
    const source = at(block, "source");
    const url =
      at(source, "type") === "base64"
        ? `data:${String(at(source, "media_type"))};base64,${String(at(source, "data"))}`
        : String(at(source, "url"));
    return { type: "image" as const, url };
  });
  const [first] = parts;
  if (parts.length === 0) return "";
  return parts.length === 1 && first?.type === "text" ? first.text : parts;
}

function textFrom(content: unknown): string {
  const read = contentFrom(content ?? "");
  return typeof read === "string" ? read : read.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function assistantFrom(content: unknown): AssistantMessage {
  if (typeof content === "string") return { role: "assistant", content };
  const blocks = objectsIn(content);
  const ofType = (type: string): readonly WireObject[] => blocks.filter((block) => block["type"] === type);
  const thoughts = ofType("thinking").map((block) => {
    const thinking = String(block["thinking"]);
    if (block["signature"] !== signatureOf(thinking)) throw new BadRequest("Invalid `signature` in `thinking` block");
    return thinking;
  });
  const toolCalls = ofType("tool_use").map((block) => ({
    id: String(block["id"]),
    name: String(block["name"]),
    arguments: JSON.stringify(block["input"] ?? {}),
  }));
  return {
    role: "assistant",
    content: ofType("text")
      .map((block) => String(block["text"]))
      .join(""),
    ...(thoughts.length === 0 ? {} : { reasoning: thoughts.join("\n\n") }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
}

function signatureOf(thinking: string): string {
  return createHash("sha256").update(`scripted ${thinking}`).digest("base64");
}

function headOf({ id, body }: Served): JsonObject {
  return { id: `msg_${id}`, type: "message", role: "assistant", model: textOrNone(body["model"]) ?? "scripted" };
}

function endOf({ completion: { finish, usage } }: Served): JsonObject {
  const cached = usage.cachedTokens ?? 0;
  return {
    stop_reason: stopReasons[finish],
    stop_sequence: null,
    usage: {
      input_tokens: usage.inputTokens - cached,
      cache_read_input_tokens: cached,
      cache_creation_input_tokens: 0,
      output_tokens: usage.outputTokens,
    },
  };
}

function blocksOf({ content, reasoning, toolCalls = [] }: AssistantMessage): readonly JsonObject[] {
  return [
    ...(reasoning === undefined ? [] : [{ type: "thinking", thinking: reasoning, signature: signatureOf(reasoning) }]),
    ...(content === "" ? [] : [{ type: "text", text: content, citations: null }]),
    ...toolCalls.map((call) => ({ type: "tool_use", id: call.id, name: call.name, input: inputOf(call.arguments) })),
  ];
}

function inputOf(text: string): JsonObject {
  const input = parseJson(text);
  return isObject(input) ? (input as JsonObject) : { malformed: text };
}

function emptied(block: JsonObject): JsonObject {
  if (block["type"] === "thinking") return { thinking: "", signature: "" };
  return block["type"] === "text" ? { text: "" } : { input: {} };
}

function* deltasOf(block: JsonObject): Generator<JsonObject> {
  for (const thinking of piecesOf(textOrNone(block["thinking"]) ?? "")) yield { type: "thinking_delta", thinking };
  if (block["type"] === "thinking") yield { type: "signature_delta", signature: block["signature"] ?? "" };
  for (const text of piecesOf(textOrNone(block["text"]) ?? "")) yield { type: "text_delta", text };
  if (block["type"] !== "tool_use") return;
  for (const partial_json of piecesOf(JSON.stringify(block["input"]))) yield { type: "input_json_delta", partial_json };
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? (value as JsonObject) : {};
}
