// Plain text completions. One user message is sent as it is; any longer conversation is written as a transcript:
//   System: be brief\n\nUser: hello\n\nAssistant: hi\n\nUser: bye\n\nAssistant:
// and "\n\nUser:" then ends the reply. There is no place for tools or images.
import { type Completion, type JsonObject, type Message, ModelError, type ModelRequest, textOf } from "@hone/core";
import type { Endpoint } from "../endpoint.ts";
import { at, listOf, optional, textOrNone } from "../wire.ts";
import { finishOf, onlyChoice, samplingFields, usageFrom } from "./chat.ts";
import { parseChunk } from "./chat-stream.ts";
import { assistant, type Dialect, invalid, type ServerEvent, type WireReply, type WireStream } from "./dialect.ts";
import { tokensFrom } from "./tokens.ts";

const endOfReply = "\n\nUser:";

export const completions: Dialect = {
  toRequest: (request, endpoint) => ({ path: "/completions", body: bodyOf(request, endpoint) }),
  fromResponse: replyFrom,
  createStream: createCompletionsStream,
  headers: (key): Readonly<Record<string, string>> => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
};

function bodyOf(request: ModelRequest, endpoint: Endpoint): JsonObject {
  if (request.tools !== undefined && request.tools.length > 0) throw unsupported("tools");
  const sampling = request.sampling ?? {};
  const [first, ...others] = request.messages;
  const isBare = others.length === 0 && first?.role === "user";
  return {
    model: endpoint.model,
    prompt: isBare ? plain(first) : transcript(request.messages),
    ...optional("max_tokens", sampling.maxTokens),
    ...samplingFields(isBare ? sampling : { ...sampling, stop: [...(sampling.stop ?? []), endOfReply] }),
    ...optional("reasoning_effort", sampling.reasoningEffort),
    ...(endpoint.tokens === true ? { logprobs: 1, return_token_ids: true } : {}),
    ...sampling.extra,
    ...(endpoint.stream === true ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

const speakers = { system: "System", user: "User", assistant: "Assistant", tool: "Tool" } as const;

function transcript(said: readonly Message[]): string {
  const turns = said.map((message) => `${speakers[message.role]}: ${plain(message)}`);
  return [...turns, "Assistant:"].join("\n\n");
}

function plain(message: Message): string {
  if (typeof message.content !== "string" && message.content.some((part) => part.type === "image")) {
    throw unsupported("images");
  }
  if (message.role === "assistant" && message.toolCalls !== undefined) throw unsupported("tools");
  return textOf(message.content);
}

function unsupported(what: string): ModelError {
  return new ModelError(`the completions dialect has no place for ${what}`, {
    code: "bad-request",
    hint: 'Use dialect = "chat" for this endpoint.',
  });
}

function replyFrom(body: unknown): WireReply {
  const choice = onlyChoice(body);
  const text = at(choice, "text");
  if (typeof text !== "string") throw invalid("the reply has no text");
  const tokens = tokensFrom(
    at(choice, "prompt_token_ids") ?? at(body, "prompt_token_ids"),
    at(choice, "token_ids"),
    at(choice, "logprobs", "token_logprobs"),
  );
  const completion: Completion = {
    message: assistant(text, "", []),
    finish: finishOf(at(choice, "finish_reason")),
    usage: usageFrom(at(body, "usage"), tokens),
    ...optional("tokens", tokens),
  };
  return { completion };
}

function createCompletionsStream(): WireStream {
  const head: Record<string, unknown> = {};
  const tokenIds: unknown[] = [];
  const logprobs: unknown[] = [];
  let text = "";
  let hasTokenIds = false;
  let finishReason: unknown;
  let isDone = false;
  return {
    push: ({ data }: ServerEvent) => {
      if (data === "[DONE]") return (isDone = true);
      const chunk = parseChunk(data);
      const choice = at(chunk, "choices", 0);
      for (const field of ["id", "usage"]) head[field] = at(chunk, field) ?? head[field];
      head["prompt_token_ids"] =
        at(choice, "prompt_token_ids") ?? at(chunk, "prompt_token_ids") ?? head["prompt_token_ids"];
      text += textOrNone(at(choice, "text")) ?? "";
      for (const logprob of listOf(at(choice, "logprobs", "token_logprobs"))) logprobs.push(logprob);
      const ids = at(choice, "token_ids");
      hasTokenIds ||= Array.isArray(ids);
      for (const id of listOf(ids)) tokenIds.push(id);
      finishReason = at(choice, "finish_reason") ?? finishReason;
      return false;
    },
    finish: () => {
      if (!isDone && finishReason === undefined) throw invalid("the stream ended before the reply did");
      const tokens = hasTokenIds ? { token_ids: tokenIds, logprobs: { token_logprobs: logprobs } } : {};
      return replyFrom({ ...head, choices: [{ text, finish_reason: finishReason, ...tokens }] });
    },
  };
}
