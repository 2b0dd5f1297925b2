// OpenAI chat completions, as OpenAI, vLLM, DeepSeek, OpenRouter and most others speak it. Request side and reply; streams in chat-stream.ts.
import type {
  AssistantMessage,
  Completion,
  CompletionTokens,
  Content,
  Finish,
  Json,
  JsonObject,
  Message,
  ModelRequest,
  Sampling,
  ToolSpec,
  Usage,
} from "@hone/core";
import { type Endpoint, endpointDefaults } from "../endpoint.ts";
import { errorIn } from "../errors.ts";
import { at, countOrNone, isObject, listOf, numberOrNone, optional, textOrNone } from "../wire.ts";
import { createChatStream } from "./chat-stream.ts";
import { assistant, type Dialect, finishFrom, invalid, type Recall, toolCallsFrom, type WireReply } from "./dialect.ts";
import { tokensFrom } from "./tokens.ts";

export const chat: Dialect = {
  toRequest: (request, endpoint, recall) => ({ path: "/chat/completions", body: bodyOf(request, endpoint, recall) }),
  fromResponse: replyFrom,
  createStream: () => createChatStream(replyFrom),
  headers: (key): Readonly<Record<string, string>> => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
};

function bodyOf(request: ModelRequest, endpoint: Endpoint, recall: Recall | undefined): JsonObject {
  const sampling = request.sampling ?? {};
  return {
    model: endpoint.model,
    messages: request.messages.map((message) => wireMessage(message, endpoint, recall)),
    ...(request.tools === undefined || request.tools.length === 0 ? {} : { tools: request.tools.map(wireTool) }),
    ...optional(maxTokensField(endpoint), sampling.maxTokens),
    ...samplingFields(sampling),
    ...optional("reasoning_effort", sampling.reasoningEffort),
    ...(endpoint.tokens === true ? { logprobs: true, return_token_ids: true } : {}),
    ...sampling.extra,
    ...(endpoint.stream === true ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

/** Fields that chat and completions share. `top_k` and `min_p` are vLLM's. */
export function samplingFields(sampling: Sampling): JsonObject {
  return {
    ...optional("temperature", sampling.temperature),
    ...optional("top_p", sampling.topP),
    ...optional("top_k", sampling.topK),
    ...optional("min_p", sampling.minP),
    ...optional("presence_penalty", sampling.presencePenalty),
    ...optional("frequency_penalty", sampling.frequencyPenalty),
    ...optional("seed", sampling.seed),
    ...optional("stop", sampling.stop),
  };
}

function maxTokensField(endpoint: Endpoint): "max_tokens" | "max_completion_tokens" {
  const isOpenAi = endpoint.baseUrl.startsWith("https://api.openai.com");
  return endpoint.maxTokensField ?? (isOpenAi ? "max_completion_tokens" : "max_tokens");
}

function wireMessage(message: Message, endpoint: Endpoint, recall: Recall | undefined): JsonObject {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user":
      return { role: "user", content: wireContent(message.content) };
    case "tool":
      return { role: "tool", tool_call_id: message.toolCallId, content: wireContent(message.content) };
    case "assistant": {
      const calls = message.toolCalls ?? [];
      return {
        role: "assistant",
        content: message.content === "" && calls.length > 0 ? null : message.content,
        ...reasoningFields(message, endpoint, recall),
        ...(calls.length === 0
          ? {}
          : {
              tool_calls: calls.map((call) => ({
                id: call.id,
                type: "function",
                function: { name: call.name, arguments: call.arguments },
              })),
            }),
      };
    }
  }
}

/** Signed or encrypted details go back as they came; plain reasoning goes back as text. */
function reasoningFields(message: AssistantMessage, endpoint: Endpoint, recall: Recall | undefined): JsonObject {
  if (message.reasoning === undefined || !(endpoint.sendReasoning ?? endpointDefaults.sendReasoning)) return {};
  const details = recall?.(message);
  return details === undefined ? { reasoning_content: message.reasoning } : { reasoning_details: details };
}

function wireContent(content: Content): Json {
  if (typeof content === "string") return content;
  return content.map((part) =>
    part.type === "text" ? { type: "text", text: part.text } : { type: "image_url", image_url: { url: part.url } },
  );
}

function wireTool(tool: ToolSpec): JsonObject {
  return {
    type: "function",
    function: { name: tool.name, description: tool.description, parameters: tool.parameters },
  };
}

function replyFrom(body: unknown): WireReply {
  const choice = onlyChoice(body);
  const message = at(choice, "message");
  if (!isObject(message)) throw invalid("the reply has no message");
  const toolCalls = toolCallsFrom(listOf(message["tool_calls"]).map(callFrom), textOrNone(at(body, "id")));
  const content = contentFrom(message["content"]) ?? textOrNone(message["refusal"]) ?? "";
  const logprobs = at(choice, "logprobs", "content");
  const tokens = tokensFrom(
    at(body, "prompt_token_ids"),
    at(choice, "token_ids"),
    Array.isArray(logprobs) ? logprobs.map((entry) => at(entry, "logprob")) : undefined,
  );
  const completion: Completion = {
    message: assistant(content, reasoningFrom(message), toolCalls),
    finish: finishFrom(finishOf(at(choice, "finish_reason")), toolCalls),
    usage: usageFrom(at(body, "usage"), tokens),
    ...optional("tokens", tokens),
  };
  const details = listOf(message["reasoning_details"]);
  const isOpaque = details.some((detail) => textOrNone(at(detail, "signature")) ?? textOrNone(at(detail, "data")));
  return { completion, ...(isOpaque ? { carry: details as Json } : {}) };
}

export function onlyChoice(body: unknown): unknown {
  const error = errorIn(body);
  if (error !== undefined) throw error;
  const choices = at(body, "choices");
  if (!Array.isArray(choices)) throw invalid("the reply has no choices");
  if (choices.length !== 1) throw invalid(`the reply has ${choices.length} choices instead of 1`);
  return choices[0];
}

function callFrom(call: unknown): { readonly id?: string; readonly name?: string; readonly arguments?: string } {
  const given = at(call, "function", "arguments");
  return {
    ...optional("id", textOrNone(at(call, "id"))),
    ...optional("name", textOrNone(at(call, "function", "name"))),
    ...optional("arguments", typeof given === "string" ? given : isObject(given) ? JSON.stringify(given) : undefined),
  };
}

/** Some servers answer in parts. */
function contentFrom(content: unknown): string | undefined {
  if (!Array.isArray(content)) return textOrNone(content);
  return textOrNone(content.map((part) => textOrNone(at(part, "text")) ?? "").join(""));
}

/** vLLM and DeepSeek: reasoning_content; OpenRouter and newer vLLM: reasoning; either may be repeated as details. */
function reasoningFrom(message: Readonly<Record<string, unknown>>): string {
  const plain = textOrNone(message["reasoning_content"]) ?? textOrNone(message["reasoning"]);
  if (plain !== undefined) return plain;
  return listOf(message["reasoning_details"])
    .map((detail) => textOrNone(at(detail, "text")) ?? textOrNone(at(detail, "summary")) ?? "")
    .join("");
}

/** vLLM says "abort" and OpenRouter "error" when the server gave up: what was sampled so far is no reply. */
export function finishOf(reason: unknown): Finish {
  if (reason === "abort" || reason === "error") throw invalid(`the server gave up on the reply (${reason})`);
  if (reason === "length" || reason === "max_tokens") return "length";
  if (reason === "tool_calls" || reason === "function_call") return "tool-calls";
  return reason === "content_filter" ? "content-filter" : "stop";
}

/** A server that gives tokens and no usage has still said how many. */
export function usageFrom(usage: unknown, tokens: CompletionTokens | undefined): Usage {
  const cached =
    countOrNone(at(usage, "prompt_tokens_details", "cached_tokens")) ??
    countOrNone(at(usage, "prompt_cache_hit_tokens"));
  return {
    inputTokens: countOrNone(at(usage, "prompt_tokens")) ?? tokens?.prompt.length ?? 0,
    outputTokens: countOrNone(at(usage, "completion_tokens")) ?? tokens?.ids.length ?? 0,
    ...optional("cachedTokens", cached),
    ...optional("reasoningTokens", countOrNone(at(usage, "completion_tokens_details", "reasoning_tokens"))),
    ...optional("costUsd", numberOrNone(at(usage, "cost"))),
  };
}
