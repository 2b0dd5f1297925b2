// OpenAI responses. Stateless: every request carries the whole conversation and asks the server to store nothing.
// Reasoning items come back encrypted when an effort is asked for, and are returned unchanged with the next turn (`carry`).
import type {
  AssistantMessage,
  Completion,
  Content,
  Finish,
  Json,
  JsonObject,
  Message,
  ModelRequest,
  ToolSpec,
} from "@hone/core";
import type { Endpoint } from "../endpoint.ts";
import { errorIn } from "../errors.ts";
import { at, countOrNone, isObject, listOf, numberOrNone, optional, textOrNone } from "../wire.ts";
import {
  assistant,
  type Dialect,
  finishFrom,
  invalid,
  type Recall,
  refuse,
  type ServerEvent,
  toolCallsFrom,
  type WireReply,
  type WireStream,
} from "./dialect.ts";
import { parseChunk } from "./chat-stream.ts";

export const responses: Dialect = {
  toRequest: (request, endpoint, recall) => ({ path: "/responses", body: bodyOf(request, endpoint, recall) }),
  fromResponse: replyFrom,
  createStream: createResponsesStream,
  headers: (key): Readonly<Record<string, string>> => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
};

/** The dialect has no seed; it is left out because it is a wish, not a promise. */
function bodyOf(request: ModelRequest, endpoint: Endpoint, recall: Recall | undefined): JsonObject {
  const sampling = request.sampling ?? {};
  refuse("responses", sampling, ["topK", "minP", "presencePenalty", "frequencyPenalty", "stop"]);
  return {
    model: endpoint.model,
    input: request.messages.flatMap((message) => wireItems(message, recall)),
    ...(request.tools === undefined || request.tools.length === 0 ? {} : { tools: request.tools.map(wireTool) }),
    ...optional("max_output_tokens", sampling.maxTokens),
    ...optional("temperature", sampling.temperature),
    ...optional("top_p", sampling.topP),
    ...(sampling.reasoningEffort === undefined
      ? {}
      : { reasoning: { effort: sampling.reasoningEffort }, include: ["reasoning.encrypted_content"] }),
    store: false,
    ...sampling.extra,
    ...(endpoint.stream === true ? { stream: true } : {}),
  };
}

function wireItems(message: Message, recall: Recall | undefined): readonly JsonObject[] {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content }];
    case "user":
      return [{ role: "user", content: wireContent(message.content) }];
    case "tool":
      return [{ type: "function_call_output", call_id: message.toolCallId, output: wireContent(message.content) }];
    case "assistant":
      return (recall?.(message) as readonly JsonObject[] | undefined) ?? assistantItems(message);
  }
}

function assistantItems(message: AssistantMessage): readonly JsonObject[] {
  const calls = message.toolCalls ?? [];
  return [
    ...(message.content === "" && calls.length > 0 ? [] : [{ role: "assistant", content: message.content }]),
    ...calls.map((call) => ({
      type: "function_call",
      call_id: call.id,
      name: call.name,
      arguments: call.arguments,
    })),
  ];
}

function wireContent(content: Content): Json {
  if (typeof content === "string") return content;
  return content.map((part) =>
    part.type === "text"
      ? { type: "input_text", text: part.text }
      : { type: "input_image", image_url: part.url, detail: "auto" },
  );
}

function wireTool({ name, description, parameters }: ToolSpec): JsonObject {
  return { type: "function", name, description, parameters, strict: false };
}

function replyFrom(body: unknown): WireReply {
  const error = errorIn(body);
  if (error !== undefined) throw error;
  const output = at(body, "output");
  if (!Array.isArray(output)) throw invalid("the reply has no output");
  const calls = output
    .filter((item) => at(item, "type") === "function_call")
    .map((item) => ({
      ...optional("id", textOrNone(at(item, "call_id"))),
      ...optional("name", textOrNone(at(item, "name"))),
      ...optional("arguments", textOrNone(at(item, "arguments"))),
    }));
  const toolCalls = toolCallsFrom(calls, textOrNone(at(body, "id")));
  const usage = at(body, "usage");
  const completion: Completion = {
    message: assistant(contentFrom(output), reasoningFrom(output), toolCalls),
    finish: finishFrom(finishOf(body), toolCalls),
    usage: {
      inputTokens: countOrNone(at(usage, "input_tokens")) ?? 0,
      outputTokens: countOrNone(at(usage, "output_tokens")) ?? 0,
      ...optional("cachedTokens", countOrNone(at(usage, "input_tokens_details", "cached_tokens"))),
      ...optional("reasoningTokens", countOrNone(at(usage, "output_tokens_details", "reasoning_tokens"))),
      ...optional("costUsd", numberOrNone(at(usage, "cost"))),
    },
  };
  const isOpaque = output.some((item) => textOrNone(at(item, "encrypted_content")) !== undefined);
  return { completion, ...(isOpaque ? { carry: output.filter(isReturnable) as Json } : {}) };
}

/** A reasoning item without its encrypted content means nothing to a server that stored nothing. */
function isReturnable(item: unknown): boolean {
  return at(item, "type") !== "reasoning" || textOrNone(at(item, "encrypted_content")) !== undefined;
}

function contentFrom(output: readonly unknown[]): string {
  const parts = output.flatMap((item) => (at(item, "type") === "message" ? listOf(at(item, "content")) : []));
  return parts.map((part) => textOrNone(at(part, "text")) ?? textOrNone(at(part, "refusal")) ?? "").join("");
}

function reasoningFrom(output: readonly unknown[]): string {
  const items = output.filter((item) => at(item, "type") === "reasoning");
  const full = items.flatMap((item) => listOf(at(item, "content")));
  const parts = full.length > 0 ? full : items.flatMap((item) => listOf(at(item, "summary")));
  return parts.flatMap((part) => textOrNone(at(part, "text")) ?? []).join("\n\n");
}

function finishOf(body: unknown): Finish {
  if (at(body, "status") !== "incomplete") return "stop";
  return at(body, "incomplete_details", "reason") === "content_filter" ? "content-filter" : "length";
}

/** The last event repeats the whole response; items that ended before it are kept for servers that leave them out there. */
function createResponsesStream(): WireStream {
  const items: unknown[] = [];
  let whole: unknown;
  return {
    push: ({ data }: ServerEvent) => {
      if (data === "[DONE]") return true;
      const event = parseChunk(data);
      const type = at(event, "type");
      if (type === "error") {
        throw errorIn({ error: event }) ?? invalid("the stream reports an error");
      }
      if (type === "response.output_item.done") items.push(at(event, "item"));
      if (type !== "response.completed" && type !== "response.incomplete" && type !== "response.failed") return false;
      whole = at(event, "response");
      return true;
    },
    finish: () => {
      if (!isObject(whole)) throw invalid("the stream ended before the reply did");
      return replyFrom(listOf(whole["output"]).length === 0 ? { ...whole, output: items } : whole);
    },
  };
}
