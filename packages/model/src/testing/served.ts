// The server's side of a dialect: its request to a ModelRequest, a Completion to its reply. The mirror of ../dialect, written apart from it
// so that a mistake in one does not hide in the other. Used by the scripted server; trusting, because its clients are tests.
import type { Completion, JsonObject, Message, ModelRequest, RolloutId, Sampling, ToolSpec } from "@hone/core";
import { at, isObject, listOf, numberOrNone, optional, textOrNone, type WireObject } from "../wire.ts";

export interface ServedDialect {
  readonly path: string;
  read(body: WireObject): ModelRequest;
  write(reply: Served): JsonObject;
  /** Frames of server-sent events, ready to send. */
  stream(reply: Served): Iterable<string>;
  /** The body of an error. */
  error(failure: ServedFailure): JsonObject;
}

export interface Served {
  /** Unique on this server. */
  readonly id: string;
  readonly body: WireObject;
  readonly completion: Completion;
}
export interface ServedFailure {
  readonly status: number;
  /** OpenAI's `code`; Anthropic has none. */
  readonly code: string;
  readonly message: string;
}

/** What cannot be read as a request. */
export class BadRequest extends Error {}

function samplingFrom(body: WireObject): Sampling {
  const effort = textOrNone(body["reasoning_effort"]) ?? textOrNone(at(body, "reasoning", "effort"));
  const maxTokens = body["max_tokens"] ?? body["max_completion_tokens"] ?? body["max_output_tokens"];
  const stop = body["stop"] ?? body["stop_sequences"];
  return {
    ...optional("maxTokens", numberOrNone(maxTokens)),
    ...optional("temperature", numberOrNone(body["temperature"])),
    ...optional("topP", numberOrNone(body["top_p"])),
    ...optional("topK", numberOrNone(body["top_k"])),
    ...optional("minP", numberOrNone(body["min_p"])),
    ...optional("presencePenalty", numberOrNone(body["presence_penalty"])),
    ...optional("frequencyPenalty", numberOrNone(body["frequency_penalty"])),
    ...optional("seed", numberOrNone(body["seed"])),
    ...optional("stop", stop === undefined || stop === null ? undefined : ([stop].flat() as string[])),
    ...optional("reasoningEffort", effort as Sampling["reasoningEffort"]),
  };
}

export function requestOf(
  body: WireObject,
  messages: readonly Message[],
  tools: readonly ToolSpec[] = [],
): ModelRequest {
  if (messages.length === 0) throw new BadRequest("the request has no messages");
  return { messages, ...(tools.length === 0 ? {} : { tools }), sampling: samplingFrom(body) };
}

export function withSession(request: ModelRequest, rollout: string | undefined): ModelRequest {
  return rollout === undefined ? request : { ...request, session: { rollout: rollout as RolloutId, agent: "agent" } };
}

export function toolFrom(tool: unknown, schemaField: string): ToolSpec {
  const parameters = at(tool, schemaField);
  return {
    name: textOrNone(at(tool, "name")) ?? "",
    description: textOrNone(at(tool, "description")) ?? "",
    parameters: (isObject(parameters) ? parameters : {}) as JsonObject,
  };
}

export function objectsIn(value: unknown): readonly WireObject[] {
  return listOf(value).filter(isObject);
}

/** A reply in pieces, as a model would have sent it; never within a character. */
export function piecesOf(text: string): readonly string[] {
  return text.match(/[\s\S]{1,12}/gu) ?? [];
}

/** One frame. Data is JSON on one line. */
export function frame(data: unknown, event?: string): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  return `${name}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

/** How OpenAI words an error; vLLM and the others follow. */
export function openAiError({ status, code, message }: ServedFailure): JsonObject {
  const type = status === 401 ? "authentication_error" : status < 500 ? "invalid_request_error" : "server_error";
  return { error: { message, type: status === 429 ? "rate_limit_error" : type, param: null, code } };
}
