import type { Message, ModelRequest } from "@hone/core";
import { describe, expect, test } from "vitest";
import type { Endpoint } from "../endpoint.ts";
import type { WireReply } from "./dialect.ts";
import { messages } from "./messages.ts";

const endpoint: Endpoint = { name: "m", model: "claude", baseUrl: "https://api.anthropic.com/v1", dialect: "messages" };
const body = (request: ModelRequest) => messages.toRequest(request, endpoint).body;
const turns = (said: readonly Message[]) => body({ messages: said })["messages"];

function streamed(events: readonly object[]): WireReply {
  const stream = messages.createStream();
  for (const event of events) stream.push({ data: JSON.stringify(event) });
  return stream.finish();
}

describe("requests", () => {
  test("tool results and what the user adds share one turn", () => {
    const calls = ["c1", "c2"].map((id) => ({ id, name: "look", arguments: '{"word":"bee"}' }));
    expect(
      turns([
        { role: "user", content: "hi" },
        { role: "assistant", content: "Looking.", toolCalls: calls },
        { role: "tool", toolCallId: "c1", content: "a bee" },
        { role: "tool", toolCallId: "c2", content: "no bee", isError: true },
        { role: "user", content: "And now?" },
      ]),
    ).toEqual([
      { role: "user", content: [{ type: "text", text: "hi" }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Looking." },
          { type: "tool_use", id: "c1", name: "look", input: { word: "bee" } },
          { type: "tool_use", id: "c2", name: "look", input: { word: "bee" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "a bee" }] },
          { type: "tool_result", tool_use_id: "c2", content: [{ type: "text", text: "no bee" }], is_error: true },
          { type: "text", text: "And now?" },
        ],
      },
    ]);
  });

  test("system messages lead, a later one is said by the user, empty texts are left out", () => {
    const request: ModelRequest = {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "system", content: "Be kind." },
        { role: "user", content: "hi" },
        { role: "assistant", content: "" },
        { role: "system", content: "Time is up." },
      ],
    };
    expect(body(request)).toMatchObject({
      system: "Be brief.\n\nBe kind.",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "hi" },
            { type: "text", text: "Time is up." },
          ],
        },
      ],
    });
  });

  test("images are inline or fetched", () => {
    const content = [
      { type: "image", url: "data:image/jpeg;base64,AA==" },
      { type: "image", url: "https://example.org/a.png" },
    ] as const;
    expect(turns([{ role: "user", content }])).toEqual([
      {
        role: "user",
        content: [
          { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "AA==" } },
          { type: "image", source: { type: "url", url: "https://example.org/a.png" } },
        ],
      },
    ]);
    const plain = [{ type: "image", url: "data:image/svg+xml,<svg/>" }] as const;
    expect(() => turns([{ role: "user", content: plain }])).toThrow("without base64");
  });

  test("arguments that are no object, and ids the API refuses, are made fit", () => {
    const toolCalls = [{ id: "call:1/x", name: "look", arguments: '{"word": ' }];
    expect(
      turns([
        { role: "assistant", content: "", toolCalls },
        { role: "tool", toolCallId: "call:1/x", content: "" },
      ]),
    ).toEqual([
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "call_1_x", name: "look", input: { malformed: '{"word": ' } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1_x", content: [] }] },
    ]);
  });

  test("max_tokens has a default, effort turns thinking on, penalties are refused", () => {
    const hello: ModelRequest = { messages: [{ role: "user", content: "hi" }] };
    expect(body(hello)).toMatchObject({ max_tokens: 4096 });
    const sampling = { maxTokens: 9, topK: 3, stop: ["END"], seed: 1, reasoningEffort: "medium" } as const;
    expect(body({ ...hello, sampling })).toMatchObject({
      max_tokens: 9,
      top_k: 3,
      stop_sequences: ["END"],
      output_config: { effort: "medium" },
      thinking: { type: "adaptive" },
    });
    expect(body({ ...hello, sampling })).not.toHaveProperty("seed");
    expect(body({ ...hello, sampling: { reasoningEffort: "minimal" } })).not.toHaveProperty("thinking");
    expect(() => body({ ...hello, sampling: { minP: 0.1 } })).toThrow("no field for minP");
  });

  test("the key is a header of its own", () => {
    expect(messages.headers("secret")).toEqual({ "anthropic-version": "2023-06-01", "x-api-key": "secret" });
    expect(messages.headers(undefined)).toEqual({ "anthropic-version": "2023-06-01" });
  });
});

describe("replies", () => {
  const content = [
    { type: "thinking", thinking: "Which bee?", signature: "sig" },
    { type: "redacted_thinking", data: "opaque" },
    { type: "text", text: "Looking." },
    { type: "tool_use", id: "c1", name: "look", input: { word: "bee" } },
  ];
  const usage = { input_tokens: 5, cache_read_input_tokens: 10, cache_creation_input_tokens: 3, output_tokens: 7 };
  const whole = { id: "msg_1", type: "message", role: "assistant", content, stop_reason: "tool_use", usage };

  test("everything a server says is read, and signed thinking is carried", () => {
    const { completion, carry } = messages.fromResponse(whole);
    expect(completion).toEqual({
      message: {
        role: "assistant",
        content: "Looking.",
        reasoning: "Which bee?",
        toolCalls: [{ id: "c1", name: "look", arguments: '{"word":"bee"}' }],
      },
      finish: "tool-calls",
      usage: { inputTokens: 18, outputTokens: 7, cachedTokens: 10 },
    });
    expect(carry).toEqual(content);
    const again: ModelRequest = { messages: [completion.message] };
    expect(messages.toRequest(again, endpoint, () => carry).body["messages"]).toEqual([{ role: "assistant", content }]);
    // Without the signature the API would refuse the block.
    expect(turns([completion.message])).toEqual([{ role: "assistant", content: content.slice(2) }]);
  });

  test("a streamed reply equals the whole one", () => {
    const start = (index: number, content_block: object): object => ({
      type: "content_block_start",
      index,
      content_block,
    });
    const delta = (index: number, fields: object): object => ({ type: "content_block_delta", index, delta: fields });
    const stop = (index: number): object => ({ type: "content_block_stop", index });
    expect(
      streamed([
        {
          type: "message_start",
          message: { ...whole, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
        },
        { type: "ping" },
        start(0, { type: "thinking", thinking: "", signature: "" }),
        delta(0, { type: "thinking_delta", thinking: "Which " }),
        delta(0, { type: "thinking_delta", thinking: "bee?" }),
        delta(0, { type: "signature_delta", signature: "sig" }),
        stop(0),
        start(1, { type: "redacted_thinking", data: "opaque" }),
        stop(1),
        start(2, { type: "text", text: "" }),
        delta(2, { type: "text_delta", text: "Look" }),
        delta(2, { type: "text_delta", text: "ing." }),
        stop(2),
        start(3, { type: "tool_use", id: "c1", name: "look", input: {} }),
        delta(3, { type: "input_json_delta", partial_json: '{"word"' }),
        delta(3, { type: "input_json_delta", partial_json: ': "bee"}' }),
        stop(3),
        { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 7, input_tokens: null } },
        { type: "message_stop" },
      ]),
    ).toEqual(messages.fromResponse(whole));
  });

  test("streamed arguments that are no JSON stay as the model wrote them", () => {
    const { completion } = streamed([
      { type: "message_start", message: whole },
      { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "c1", name: "look", input: {} } },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"word' } },
      { type: "message_delta", delta: { stop_reason: "max_tokens" } },
    ]);
    expect(completion.message.toolCalls).toEqual([{ id: "c1", name: "look", arguments: '{"word' }]);
    expect(completion.finish).toBe("length");
  });

  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "content-filter"],
  ] as const)("stop_reason %s is %s", (stop_reason, finish) => {
    expect(messages.fromResponse({ ...whole, content: [content[2]], stop_reason }).completion.finish).toBe(finish);
  });

  test("errors within the stream have the code of their type", () => {
    const error = (type: string): object => ({ type: "error", error: { type, message: "sorry" } });
    const code = (type: string): string => {
      try {
        streamed([error(type)]);
        return "none";
      } catch (caught) {
        return (caught as { code: string }).code;
      }
    };
    expect(code("overloaded_error")).toBe("server");
    expect(code("rate_limit_error")).toBe("rate-limit");
    expect(code("invalid_request_error")).toBe("bad-request");
    expect(code("constructor")).toBe("server");
    expect(() => streamed([{ type: "message_start", message: whole }])).toThrow("ended before");
    expect(() => messages.fromResponse({ content: "text" })).toThrow("no content");
  });
});
