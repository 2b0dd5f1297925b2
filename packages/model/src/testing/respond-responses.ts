// OpenAI responses as a server. Reasoning is an item of its own; it is "encrypted" (base64) when the request asks for that.
import type { Content, JsonObject, Message, ModelRequest } from "@hone/core";
import { at, listOf, textOrNone, type WireObject } from "../wire.ts";
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

export const respondResponses: ServedDialect = {
  path: "/v1/responses",
  read: readRequest,
  write: (served) => responseOf(served, outputOf(served)),
  *stream(served) {
    let sequence = 0;
    const event = (type: string, data: JsonObject): string =>
      frame({ type, sequence_number: sequence++, ...data }, type);
    const { usage: _usage, ...begun } = responseOf(served, []);
    const started = { ...begun, status: "in_progress" };
    yield event("response.created", { response: started });
    yield event("response.in_progress", { response: started });
    const output = outputOf(served);
    for (const [index, item] of output.entries()) {
      yield event("response.output_item.added", { output_index: index, item: { ...item, ...emptied(item) } });
      for (const [type, data] of deltasOf(item)) {
        yield event(type, { item_id: item["id"] ?? "", output_index: index, ...data });
      }
      yield event("response.output_item.done", { output_index: index, item });
    }
    const response = responseOf(served, output);
    yield event(response["status"] === "incomplete" ? "response.incomplete" : "response.completed", { response });
  },
  error: openAiError,
};

function readRequest(body: WireObject): ModelRequest {
  const { input, instructions } = body;
  const system: Message[] = typeof instructions === "string" ? [{ role: "system", content: instructions }] : [];
  const said: Message[] = typeof input === "string" ? [{ role: "user", content: input }] : [];
  for (const item of objectsIn(input)) addItem(said, item);
  const tools = objectsIn(body["tools"]).map((tool) => toolFrom(tool, "parameters"));
  return requestOf(body, [...system, ...said], tools);
}

/** Reasoning, text and calls of one turn are items in a row; here they are one message. */
function addItem(said: Message[], item: WireObject): void {
  switch (item["type"] ?? "message") {
    case "message": {
      const content = contentFrom(item["content"]);
      const role = item["role"];
      if (role === "assistant") growAssistant(said, { content: plain(content) });
      else if (role === "user") said.push({ role, content });
      else said.push({ role: "system", content: plain(content) });
      return;
    }
    case "function_call": {
      const { call_id, name, arguments: text } = item;
      const call = { id: textOrNone(call_id) ?? "", name: textOrNone(name) ?? "", arguments: textOrNone(text) ?? "" };
      return growAssistant(said, { call });
    }
    case "function_call_output":
      said.push({ role: "tool", toolCallId: textOrNone(item["call_id"]) ?? "", content: contentFrom(item["output"]) });
      return;
    case "reasoning": {
      const hidden = textOrNone(item["encrypted_content"]);
      const reasoning = hidden === undefined ? undefined : Buffer.from(hidden, "base64").toString("utf8");
      return growAssistant(said, { reasoning: reasoning ?? plain(contentFrom(item["content"])) });
    }
    default:
      throw new BadRequest("an item of the input has no type that is known");
  }
}

interface Growth {
  readonly content?: string;
  readonly reasoning?: string;
  readonly call?: { readonly id: string; readonly name: string; readonly arguments: string };
}

function growAssistant(said: Message[], { content, reasoning, call }: Growth): void {
  const last = said.at(-1);
  const before = last?.role === "assistant" ? last : { role: "assistant" as const, content: "" };
  if (before === last) said.pop();
  said.push({
    ...before,
    content: before.content + (content ?? ""),
    ...(reasoning === undefined || reasoning === "" ? {} : { reasoning }),
    ...(call === undefined ? {} : { toolCalls: [...(before.toolCalls ?? []), call] }),
  });
}

function contentFrom(content: unknown): Content {
  if (typeof content === "string") return content;
  return listOf(content).map((part) =>
    at(part, "type") === "input_image"
      ? { type: "image", url: textOrNone(at(part, "image_url")) ?? "" }
      : { type: "text", text: textOrNone(at(part, "text")) ?? "" },
  );
}

function plain(content: Content): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function responseOf({ id, body, completion: { finish, usage } }: Served, output: readonly JsonObject[]): JsonObject {
  const isCut = finish === "length" || finish === "content-filter";
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: 0,
    model: textOrNone(body["model"]) ?? "scripted",
    status: isCut ? "incomplete" : "completed",
    error: null,
    incomplete_details: isCut ? { reason: finish === "length" ? "max_output_tokens" : "content_filter" } : null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: "auto",
    tools: [],
    top_p: null,
    output,
    usage: {
      input_tokens: usage.inputTokens,
      input_tokens_details: { cached_tokens: usage.cachedTokens ?? 0 },
      output_tokens: usage.outputTokens,
      output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
      total_tokens: usage.inputTokens + usage.outputTokens,
    },
  };
}

function outputOf({ id, body, completion: { message } }: Served): readonly JsonObject[] {
  const { content, reasoning, toolCalls = [] } = message;
  const isHidden = listOf(body["include"]).includes("reasoning.encrypted_content");
  const hidden = isHidden ? Buffer.from(reasoning ?? "", "utf8").toString("base64") : null;
  const thought: JsonObject = {
    id: `rs_${id}`,
    type: "reasoning",
    summary: [],
    content: [{ type: "reasoning_text", text: reasoning ?? "" }],
    encrypted_content: hidden,
  };
  const text: JsonObject = {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: content, annotations: [] }],
  };
  return [
    ...(reasoning === undefined ? [] : [thought]),
    ...(content === "" && toolCalls.length > 0 ? [] : [text]),
    ...toolCalls.map((call, index) => ({
      id: `fc_${id}_${index}`,
      type: "function_call",
      status: "completed",
      call_id: call.id,
      name: call.name,
      arguments: call.arguments,
    })),
  ];
}

/** What an item looks like before its pieces arrive. */
function emptied(item: JsonObject): JsonObject {
  return item["type"] === "function_call"
    ? { arguments: "", status: "in_progress" }
    : item["type"] === "message"
      ? { content: [], status: "in_progress" }
      : { content: [] };
}

function* deltasOf(item: JsonObject): Generator<readonly [string, JsonObject]> {
  const content_index = 0;
  const text = textOrNone(at(item, "content", 0, "text")) ?? "";
  if (item["type"] === "message") {
    const part = { type: "output_text", text: "", annotations: [] };
    yield ["response.content_part.added", { content_index, part }];
    for (const delta of piecesOf(text)) yield ["response.output_text.delta", { content_index, delta, logprobs: [] }];
    yield ["response.output_text.done", { content_index, text, logprobs: [] }];
    yield ["response.content_part.done", { content_index, part: { ...part, text } }];
  }
  if (item["type"] === "reasoning") {
    yield ["response.content_part.added", { content_index, part: { type: "reasoning_text", text: "" } }];
    for (const delta of piecesOf(text)) yield ["response.reasoning_text.delta", { content_index, delta }];
    yield ["response.reasoning_text.done", { content_index, text }];
  }
  if (item["type"] === "function_call") {
    const whole = textOrNone(item["arguments"]) ?? "";
    for (const delta of piecesOf(whole)) yield ["response.function_call_arguments.delta", { delta }];
    yield ["response.function_call_arguments.done", { arguments: whole, name: item["name"] ?? "" }];
  }
}
