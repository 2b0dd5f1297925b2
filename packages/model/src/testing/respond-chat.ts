// Chat completions as a server: vLLM's token fields on request, reasoning as `reasoning_content`.
import type { AssistantMessage, Content, Finish, JsonObject, Message, Usage } from "@hone/core";
import { at, optional, textOrNone, type WireObject } from "../wire.ts";
import {
  BadRequest,
  frame,
  objectsIn,
  openAiError,
  piecesOf,
  requestOf,
  type Served,
  type ServedDialect,
  toolFrom,
} from "./served.ts";

export const respondChat: ServedDialect = {
  path: "/v1/chat/completions",
  read: (body) => {
    const messages = objectsIn(body["messages"]).map(messageFrom);
    const tools = objectsIn(body["tools"]).map((tool) => toolFrom(at(tool, "function"), "parameters"));
    return requestOf(body, messages, tools);
  },
  write: (served) => {
    const { completion, body } = served;
    return {
      ...headOf(served, "chat.completion"),
      choices: [
        {
          index: 0,
          message: wireMessage(completion.message),
          finish_reason: finishReasons[completion.finish],
          logprobs: body["logprobs"] === true ? { content: logprobEntries(served, 0) } : null,
          ...(body["return_token_ids"] === true ? { token_ids: idsOf(completion.tokens?.ids) } : {}),
        },
      ],
      usage: wireUsage(completion.usage),
      ...(body["return_token_ids"] === true ? { prompt_token_ids: idsOf(completion.tokens?.prompt) } : {}),
    };
  },
  *stream(served) {
    const head = headOf(served, "chat.completion.chunk");
    const { message, finish, tokens, usage } = served.completion;
    const chunk = (delta: JsonObject, extra: JsonObject = {}, top: JsonObject = {}): string =>
      frame({ ...head, ...top, choices: [{ index: 0, delta, finish_reason: null, ...extra }] });
    const wantsIds = served.body["return_token_ids"] === true;
    yield chunk({ role: "assistant", content: "" }, {}, wantsIds ? { prompt_token_ids: idsOf(tokens?.prompt) } : {});
    const deltas = [...deltasOf(message)];
    const perDelta = Math.ceil((tokens?.ids.length ?? 0) / Math.max(1, deltas.length));
    for (const [index, delta] of deltas.entries()) {
      yield chunk(delta, tokenFields(served, index * perDelta, (index + 1) * perDelta));
    }
    const left = deltas.length === 0 ? tokenFields(served, 0) : {};
    yield chunk({}, { ...left, finish_reason: finishReasons[finish] });
    if (at(served.body, "stream_options", "include_usage") === true) {
      yield frame({ ...head, choices: [], usage: wireUsage(usage) });
    }
    yield frame("[DONE]");
  },
  error: openAiError,
};

export const finishReasons = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
} as const satisfies Record<Finish, string>;

function headOf({ id, body }: Served, object: string): JsonObject {
  return { id: `chatcmpl-${id}`, object, created: 0, model: textOrNone(body["model"]) ?? "scripted" };
}

function messageFrom(message: WireObject): Message {
  const content = message["content"];
  switch (message["role"]) {
    case "system":
    case "developer":
      return { role: "system", content: textFrom(content) };
    case "user":
      return { role: "user", content: contentFrom(content) };
    case "tool":
      return { role: "tool", toolCallId: textOrNone(message["tool_call_id"]) ?? "", content: contentFrom(content) };
    case "assistant": {
      const calls = objectsIn(message["tool_calls"]).map((call) => ({
        id: textOrNone(call["id"]) ?? "",
        name: textOrNone(at(call, "function", "name")) ?? "",
        arguments: textOrNone(at(call, "function", "arguments")) ?? "",
      }));
      return {
        role: "assistant",
        content: textFrom(content),
        ...optional("reasoning", textOrNone(message["reasoning_content"]) ?? textOrNone(message["reasoning"])),
        ...(calls.length === 0 ? {} : { toolCalls: calls }),
      };
    }
    default:
      throw new BadRequest("a message has no role that is known");
  }
}

function contentFrom(content: unknown): Content {
  if (!Array.isArray(content)) return textOrNone(content) ?? "";
  return content.map((part) =>
    at(part, "type") === "image_url"
      ? { type: "image", url: textOrNone(at(part, "image_url", "url")) ?? "" }
      : { type: "text", text: textOrNone(at(part, "text")) ?? "" },
  );
}

function textFrom(content: unknown): string {
  const read = contentFrom(content);
  return typeof read === "string" ? read : read.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function wireMessage({ content, reasoning, toolCalls }: AssistantMessage): JsonObject {
  return {
    role: "assistant",
    content: content === "" && toolCalls !== undefined ? null : content,
    ...optional("reasoning_content", reasoning),
    ...(toolCalls === undefined
      ? {}
      : {
          tool_calls: toolCalls.map((call) => ({
            id: call.id,
            type: "function",
            function: { name: call.name, arguments: call.arguments },
          })),
        }),
  };
}

function* deltasOf({ content, reasoning, toolCalls }: AssistantMessage): Generator<JsonObject> {
  for (const piece of piecesOf(reasoning ?? "")) yield { reasoning_content: piece };
  for (const piece of piecesOf(content)) yield { content: piece };
  for (const [index, call] of (toolCalls ?? []).entries()) {
    yield { tool_calls: [{ index, id: call.id, type: "function", function: { name: call.name, arguments: "" } }] };
    for (const piece of piecesOf(call.arguments)) yield { tool_calls: [{ index, function: { arguments: piece } }] };
  }
}

function tokenFields(served: Served, start: number, stop?: number): JsonObject {
  return {
    ...(served.body["logprobs"] === true ? { logprobs: { content: logprobEntries(served, start, stop) } } : {}),
    ...(served.body["return_token_ids"] === true
      ? { token_ids: idsOf(served.completion.tokens?.ids.subarray(start, stop)) }
      : {}),
  };
}

function logprobEntries({ completion: { tokens } }: Served, start: number, stop?: number): readonly JsonObject[] {
  const ids = tokens?.ids.subarray(start, stop) ?? [];
  return Array.from(ids, (id, index) => ({
    token: `token_id:${id}`,
    logprob: tokens?.logprobs[start + index] ?? 0,
    bytes: null,
    top_logprobs: [],
  }));
}

export function idsOf(ids: Int32Array | undefined): readonly number[] {
  return Array.from(ids ?? []);
}

export function wireUsage(usage: Usage): JsonObject {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    ...(usage.cachedTokens === undefined ? {} : { prompt_tokens_details: { cached_tokens: usage.cachedTokens } }),
    ...(usage.reasoningTokens === undefined
      ? {}
      : { completion_tokens_details: { reasoning_tokens: usage.reasoningTokens } }),
    ...optional("cost", usage.costUsd),
  };
}
