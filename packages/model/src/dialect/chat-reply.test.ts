import type { ModelRequest } from "@hone/core";
import { expect, test } from "vitest";
import type { Endpoint } from "../endpoint.ts";
import { chat } from "./chat.ts";
import type { WireReply } from "./dialect.ts";

const endpoint: Endpoint = { name: "local", model: "qwen3", baseUrl: "http://127.0.0.1:8000/v1", dialect: "chat" };

function streamed(chunks: readonly unknown[]): WireReply {
  const stream = chat.createStream();
  for (const chunk of chunks) stream.push({ data: typeof chunk === "string" ? chunk : JSON.stringify(chunk) });
  return stream.finish();
}
const delta = (fields: object, more: object = {}): object => ({ choices: [{ index: 0, delta: fields, ...more }] });

const usage = {
  prompt_tokens: 20,
  completion_tokens: 10,
  prompt_tokens_details: { cached_tokens: 16 },
  completion_tokens_details: { reasoning_tokens: 4 },
  cost: 0.002,
};
const whole = {
  id: "chatcmpl-1",
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: "Looking.",
        reasoning_content: "Which bee?",
        tool_calls: [
          { id: "c1", type: "function", function: { name: "look", arguments: '{"word": "bee"}' } },
          { id: "c2", type: "function", function: { name: "look", arguments: "{}" } },
        ],
      },
      finish_reason: "tool_calls",
      logprobs: {
        content: [
          { token: "a", logprob: -0.5 },
          { token: "b", logprob: -0.25 },
        ],
      },
      token_ids: [5, 6],
    },
  ],
  prompt_token_ids: [1, 2, 3],
  usage,
};

test("everything a server says is read", () => {
  const { completion, carry } = chat.fromResponse(whole);
  expect(carry).toBeUndefined();
  expect(completion).toEqual({
    message: {
      role: "assistant",
      content: "Looking.",
      reasoning: "Which bee?",
      toolCalls: [
        { id: "c1", name: "look", arguments: '{"word": "bee"}' },
        { id: "c2", name: "look", arguments: "{}" },
      ],
    },
    finish: "tool-calls",
    usage: { inputTokens: 20, outputTokens: 10, cachedTokens: 16, reasoningTokens: 4, costUsd: 0.002 },
    tokens: {
      prompt: Int32Array.of(1, 2, 3),
      ids: Int32Array.of(5, 6),
      logprobs: Float32Array.of(-0.5, -0.25),
      policyVersion: { values: [0], lengths: [2] },
    },
  });
});

test("a streamed reply equals the whole one", () => {
  const call = (index: number, more: object): object => delta({ tool_calls: [{ index, ...more }] });
  expect(
    streamed([
      {
        id: "chatcmpl-1",
        prompt_token_ids: [1, 2, 3],
        choices: [{ index: 0, delta: { role: "assistant", content: "" } }],
      },
      delta({ reasoning_content: "Which" }),
      delta({ reasoning_content: " bee?" }),
      delta({ content: "Look" }, { token_ids: [5], logprobs: { content: [{ token: "a", logprob: -0.5 }] } }),
      delta({ content: "ing." }, { token_ids: [6], logprobs: { content: [{ token: "b", logprob: -0.25 }] } }),
      call(0, { id: "c1", type: "function", function: { name: "look", arguments: "" } }),
      call(0, { function: { arguments: '{"word": ' } }),
      call(1, { id: "c2", type: "function", function: { name: "look", arguments: "" } }),
      call(0, { function: { arguments: '"bee"}' } }),
      call(1, { function: { arguments: "{}" } }),
      delta({}, { finish_reason: "tool_calls" }),
      { choices: [], usage },
      "[DONE]",
    ]),
  ).toEqual(chat.fromResponse(whole));
});

test("tokens stand in for a usage that the server leaves out", () => {
  const { usage: _usage, ...rest } = whole;
  expect(chat.fromResponse(rest).completion.usage).toEqual({ inputTokens: 3, outputTokens: 2 });
});

test("calls that share an index are told apart by their ids", () => {
  const call = (id: string, text: string): object =>
    delta({ tool_calls: [{ index: 0, id, function: { name: "look", arguments: text } }] });
  const { completion } = streamed([call("a", "{}"), call("b", "[]"), delta({}, { finish_reason: "stop" })]);
  expect(completion.finish).toBe("tool-calls");
  expect(completion.message.toolCalls).toEqual([
    { id: "a", name: "look", arguments: "{}" },
    { id: "b", name: "look", arguments: "[]" },
  ]);
});

test("calls without an id, or with another's, get their own", () => {
  const reply = (calls: readonly object[]): object => ({
    id: "chatcmpl-9",
    choices: [{ message: { content: null, tool_calls: calls }, finish_reason: "tool_calls" }],
  });
  const look = { function: { name: "look", arguments: "{}" } };
  const { completion } = chat.fromResponse(reply([look, { id: "x", ...look }, { id: "x", ...look }]));
  expect(completion.message.toolCalls?.map(({ id }) => id)).toEqual(["call_chatcmpl-9_0", "x", "call_chatcmpl-9_2"]);
});

test.each([
  ["stop", "stop"],
  ["length", "length"],
  ["content_filter", "content-filter"],
  ["function_call", "tool-calls"],
  ["something new", "stop"],
  [null, "stop"],
] as const)("finish_reason %s is %s", (reason, finish) => {
  const { completion } = chat.fromResponse({ choices: [{ message: { content: "a" }, finish_reason: reason }] });
  expect(completion.finish).toBe(finish);
});

test("reasoning comes under three names, a refusal is what was said", () => {
  const said = (message: object) =>
    chat.fromResponse({ choices: [{ message, finish_reason: "stop" }] }).completion.message;
  expect(said({ content: "a", reasoning: "b" }).reasoning).toBe("b");
  expect(said({ content: "a", reasoning_details: [{ type: "reasoning.text", text: "c" }] }).reasoning).toBe("c");
  expect(said({ content: null, refusal: "I will not." }).content).toBe("I will not.");
  expect(
    said({
      content: [
        { type: "text", text: "in " },
        { type: "text", text: "parts" },
      ],
    }).content,
  ).toBe("in parts");
});

test("signed reasoning goes back as it came, whole or streamed", () => {
  const details = [{ type: "reasoning.text", index: 0, text: "deep thought", signature: "s" }];
  const message = { content: "42", reasoning: "deep thought", reasoning_details: details };
  const reply = chat.fromResponse({ choices: [{ message, finish_reason: "stop" }] });
  expect(reply.carry).toEqual(details);
  const piece = (detail: object): object =>
    delta({ reasoning_details: [{ type: "reasoning.text", index: 0, ...detail }] });
  const inPieces = streamed([
    piece({ text: "deep " }),
    piece({ text: "thought" }),
    piece({ signature: "s" }),
    delta({ content: "42" }, { finish_reason: "stop" }),
  ]);
  expect(inPieces.carry).toEqual(details);
  expect(inPieces.completion.message.reasoning).toBe("deep thought");
  const again: ModelRequest = { messages: [reply.completion.message] };
  expect(chat.toRequest(again, endpoint, () => details).body["messages"]).toEqual([
    { role: "assistant", content: "42", reasoning_details: details },
  ]);
});

test("what is no reply is refused", () => {
  expect(() => chat.fromResponse({})).toThrow("no choices");
  expect(() => chat.fromResponse({ choices: [] })).toThrow("0 choices");
  expect(() => chat.fromResponse({ choices: [{}] })).toThrow("no message");
  const aborted = { choices: [{ message: { content: "hal" }, finish_reason: "abort" }] };
  expect(() => chat.fromResponse(aborted)).toThrow("gave up");
  expect(() => streamed([delta({ content: "a" })])).toThrow("ended before");
  expect(() => streamed(["{"])).toThrow("not a JSON object");
  expect(() => streamed([{ error: { message: "overloaded", code: 503 } }])).toThrow("overloaded");
});
