// Anthropic messages. Tool results and neighbouring user messages share one user turn, as the API wants it; max_tokens is required there.
// Thinking blocks are signed and go back unchanged (`carry`); without the signed block the reasoning of an earlier turn is left out.
import type {
  AssistantMessage,
  Completion,
  Content,
  Finish,
  Json,
  JsonObject,
  Message,
  ModelRequest,
  Sampling,
} from "@hone/core";
import type { Endpoint } from "../endpoint.ts";
import { errorIn } from "../errors.ts";
import { at, countOrNone, isObject, numberOrNone, optional, parseJson, textOrNone } from "../wire.ts";
import {
  assistant,
  dataUrl,
  type Dialect,
  finishFrom,
  invalid,
  type Recall,
  refuse,
  toolCallsFrom,
  type WireReply,
} from "./dialect.ts";
import { createMessagesStream } from "./messages-stream.ts";

const defaultMaxTokens = 4096;

export const messages: Dialect = {
  toRequest: (request, endpoint, recall) => ({ path: "/messages", body: bodyOf(request, endpoint, recall) }),
  fromResponse: replyFrom,
  createStream: () => createMessagesStream(replyFrom),
  headers: (key) => ({ "anthropic-version": "2023-06-01", ...(key === undefined ? {} : { "x-api-key": key }) }),
};

/** The dialect has no seed; it is left out because it is a wish, not a promise. */
function bodyOf(request: ModelRequest, endpoint: Endpoint, recall: Recall | undefined): JsonObject {
  const sampling = request.sampling ?? {};
  refuse("messages", sampling, ["minP", "presencePenalty", "frequencyPenalty"]);
  const firstTurn = request.messages.findIndex((message) => message.role !== "system");
  const leading = firstTurn < 0 ? request.messages : request.messages.slice(0, firstTurn);
  const system = leading.map((message) => (message.role === "system" ? message.content : "")).join("\n\n");
  const tools = (request.tools ?? []).map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: parameters,
  }));
  return {
    model: endpoint.model,
    max_tokens: sampling.maxTokens ?? defaultMaxTokens,
    ...(system === "" ? {} : { system }),
    messages: turnsOf(request.messages.slice(leading.length), recall),
    ...(tools.length === 0 ? {} : { tools }),
    ...optional("temperature", sampling.temperature),
    ...optional("top_p", sampling.topP),
    ...optional("top_k", sampling.topK),
    ...optional("stop_sequences", sampling.stop),
    ...effortFields(sampling),
    ...sampling.extra,
    ...(endpoint.stream === true ? { stream: true } : {}),
  };
}

/** Minimal effort is low effort without thinking. Models that take a thinking budget instead get it through `extra.thinking`. */
function effortFields({ reasoningEffort }: Sampling): JsonObject {
  if (reasoningEffort === undefined) return {};
  if (reasoningEffort === "minimal") return { output_config: { effort: "low" } };
  return { output_config: { effort: reasoningEffort }, thinking: { type: "adaptive" } };
}

function turnsOf(said: readonly Message[], recall: Recall | undefined): readonly JsonObject[] {
  const turns: { role: "user" | "assistant"; content: Json[] }[] = [];
  for (const message of said) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const blocks = message.role === "assistant" ? assistantBlocks(message, recall) : userBlocks(message);
    if (blocks.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: [...blocks] });
  }
  return turns;
}

/** A system message in the middle has no place of its own in this dialect; it is said by the user. */
function userBlocks(message: Exclude<Message, AssistantMessage>): readonly JsonObject[] {
  if (message.role !== "tool") return contentBlocks(message.content);
  return [
    {
      type: "tool_result",
      tool_use_id: wireId(message.toolCallId),
      content: contentBlocks(message.content),
      ...(message.isError === true ? { is_error: true } : {}),
    },
  ];
}

/** The API refuses empty text blocks. */
function contentBlocks(content: Content): readonly JsonObject[] {
  const parts = typeof content === "string" ? [{ type: "text", text: content } as const] : content;
  return parts.flatMap((part): JsonObject[] => {
    if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }];
    const inline = dataUrl(part.url);
    const source =
      inline === undefined
        ? { type: "url", url: part.url }
        : { type: "base64", media_type: inline.mediaType, data: inline.data };
    return [{ type: "image", source }];
  });
}

function assistantBlocks(message: AssistantMessage, recall: Recall | undefined): readonly Json[] {
  const carried = recall?.(message);
  if (carried !== undefined) return carried as readonly Json[];
  return [
    ...contentBlocks(message.content),
    ...(message.toolCalls ?? []).map((call) => ({
      type: "tool_use",
      id: wireId(call.id),
      name: call.name,
      input: wireInput(call.arguments),
    })),
  ];
}

function wireId(id: string): string {
  return id.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
}

/** The API takes an object only; arguments that are none are kept as text, so that the model sees what it wrote. */
function wireInput(text: string): JsonObject {
  const input = parseJson(text === "" ? "{}" : text);
  return isObject(input) ? (input as JsonObject) : { malformed: text };
}

function replyFrom(body: unknown): WireReply {
  const error = errorIn(body);
  if (error !== undefined) throw error;
  const blocks = at(body, "content");
  if (!Array.isArray(blocks)) throw invalid("the reply has no content");
  const ofType = (type: string): readonly unknown[] => blocks.filter((block) => at(block, "type") === type);
  const calls = ofType("tool_use").map((block) => ({
    ...optional("id", textOrNone(at(block, "id"))),
    ...optional("name", textOrNone(at(block, "name"))),
    arguments: argumentsFrom(at(block, "input")),
  }));
  const toolCalls = toolCallsFrom(calls, textOrNone(at(body, "id")));
  const texts = ofType("text").map((block) => textOrNone(at(block, "text")) ?? "");
  const thoughts = ofType("thinking").flatMap((block) => textOrNone(at(block, "thinking")) ?? []);
  const completion: Completion = {
    message: assistant(texts.join(""), thoughts.join("\n\n"), toolCalls),
    finish: finishFrom(finishOf(at(body, "stop_reason")), toolCalls),
    usage: usageFrom(at(body, "usage")),
  };
  const isSigned = blocks.some((block) => textOrNone(at(block, "signature")) ?? textOrNone(at(block, "data")));
  return { completion, ...(isSigned ? { carry: blocks as Json } : {}) };
}

/** A stream leaves the text where the input was not JSON. */
function argumentsFrom(input: unknown): string {
  return typeof input === "string" ? input : JSON.stringify(input ?? {});
}

function finishOf(reason: unknown): Finish {
  if (reason === "max_tokens" || reason === "model_context_window_exceeded") return "length";
  if (reason === "tool_use") return "tool-calls";
  return reason === "refusal" ? "content-filter" : "stop";
}

/** What was read from and written to the cache is counted apart by the API; here input is all of it. */
function usageFrom(usage: unknown): Completion["usage"] {
  const read = countOrNone(at(usage, "cache_read_input_tokens"));
  const written = countOrNone(at(usage, "cache_creation_input_tokens")) ?? 0;
  return {
    inputTokens: (countOrNone(at(usage, "input_tokens")) ?? 0) + (read ?? 0) + written,
    outputTokens: countOrNone(at(usage, "output_tokens")) ?? 0,
    ...optional("cachedTokens", read),
    ...optional("reasoningTokens", countOrNone(at(usage, "output_tokens_details", "thinking_tokens"))),
    ...optional("costUsd", numberOrNone(at(usage, "cost"))),
  };
}
