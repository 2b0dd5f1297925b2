import type { ModelRequest } from "@hone/core";
import { describe, expect, test } from "vitest";
import type { Endpoint } from "../endpoint.ts";
import type { WireReply } from "./dialect.ts";
import { responses } from "./responses.ts";

const endpoint: Endpoint = { name: "r", model: "gpt-5", baseUrl: "https://api.openai.com/v1", dialect: "responses" };

function streamed(events: readonly object[]): WireReply {
  const stream = responses.createStream();
  for (const event of events) stream.push({ data: JSON.stringify(event) });
  return stream.finish();
}

describe("requests", () => {
  test("a conversation is a list of items, and nothing is stored", () => {
    const request: ModelRequest = {
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "Look:" },
            { type: "image", url: "data:image/png;base64,AA==" },
          ],
        },
        { role: "assistant", content: "Looking.", toolCalls: [{ id: "c1", name: "look", arguments: "{}" }] },
        { role: "tool", toolCallId: "c1", content: "a bee" },
      ],
      tools: [{ name: "look", description: "Look.", parameters: { type: "object" } }],
      sampling: { maxTokens: 9, temperature: 1, topP: 0.9, seed: 3, reasoningEffort: "high" },
    };
    expect(responses.toRequest(request, { ...endpoint, stream: true })).toEqual({
      path: "/responses",
      body: {
        model: "gpt-5",
        input: [
          { role: "system", content: "Be brief." },
          {
            role: "user",
            content: [
              { type: "input_text", text: "Look:" },
              { type: "input_image", image_url: "data:image/png;base64,AA==", detail: "auto" },
            ],
          },
          { role: "assistant", content: "Looking." },
          { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
          { type: "function_call_output", call_id: "c1", output: "a bee" },
        ],
        tools: [
          { type: "function", name: "look", description: "Look.", parameters: { type: "object" }, strict: false },
        ],
        max_output_tokens: 9,
        temperature: 1,
        top_p: 0.9,
        reasoning: { effort: "high" },
        include: ["reasoning.encrypted_content"],
        store: false,
        stream: true,
      },
    });
  });

  test("a setting that the dialect cannot say is refused by name", () => {
    const request: ModelRequest = { messages: [{ role: "user", content: "a" }], sampling: { topK: 4, stop: ["x"] } };
    expect(() => responses.toRequest(request, endpoint)).toThrow("the responses dialect has no field for topK, stop");
  });
});

describe("replies", () => {
  const reasoning = {
    id: "rs_1",
    type: "reasoning",
    summary: [
      { type: "summary_text", text: "First." },
      { type: "summary_text", text: "Second." },
    ],
    encrypted_content: "opaque",
  };
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: "Looking.", annotations: [] }],
  };
  const call = { id: "fc_1", type: "function_call", call_id: "c1", name: "look", arguments: '{"word":"bee"}' };
  const whole = {
    id: "resp_1",
    status: "completed",
    error: null,
    output: [reasoning, message, call],
    usage: {
      input_tokens: 20,
      output_tokens: 10,
      input_tokens_details: { cached_tokens: 8 },
      output_tokens_details: { reasoning_tokens: 6 },
    },
  };

  test("everything a server says is read, and its reasoning is carried", () => {
    const { completion, carry } = responses.fromResponse(whole);
    expect(completion).toEqual({
      message: {
        role: "assistant",
        content: "Looking.",
        reasoning: "First.\n\nSecond.",
        toolCalls: [{ id: "c1", name: "look", arguments: '{"word":"bee"}' }],
      },
      finish: "tool-calls",
      usage: { inputTokens: 20, outputTokens: 10, cachedTokens: 8, reasoningTokens: 6 },
    });
    expect(carry).toEqual([reasoning, message, call]);
    const again: ModelRequest = { messages: [completion.message] };
    expect(responses.toRequest(again, endpoint, () => carry).body["input"]).toEqual([reasoning, message, call]);
  });

  test("reasoning that nobody can read back is not carried", () => {
    const { encrypted_content: _opaque, ...open } = reasoning;
    expect(responses.fromResponse({ ...whole, output: [open, message] }).carry).toBeUndefined();
  });

  test("a streamed reply equals the whole one, also where the last event leaves the output out", () => {
    const done = [reasoning, message, call].map((item, output_index) => ({
      type: "response.output_item.done",
      output_index,
      item,
    }));
    const begin = { type: "response.created", response: { ...whole, status: "in_progress", output: [] } };
    const text = { type: "response.output_text.delta", delta: "Looking." };
    const end = { type: "response.completed", response: whole };
    expect(streamed([begin, text, ...done, end])).toEqual(responses.fromResponse(whole));
    const bare = { type: "response.completed", response: { ...whole, output: [] } };
    expect(streamed([begin, ...done, bare])).toEqual(responses.fromResponse(whole));
  });

  test.each([
    ["max_output_tokens", "length"],
    ["content_filter", "content-filter"],
  ] as const)("incomplete for %s is %s", (reason, finish) => {
    const body = { ...whole, output: [message], status: "incomplete", incomplete_details: { reason } };
    expect(responses.fromResponse(body).completion.finish).toBe(finish);
    expect(streamed([{ type: "response.incomplete", response: body }]).completion.finish).toBe(finish);
  });

  test("failures inside the protocol are errors", () => {
    const failed = { ...whole, status: "failed", error: { code: "rate_limit_exceeded", message: "slow down" } };
    expect(() => responses.fromResponse(failed)).toThrow(expect.objectContaining({ code: "rate-limit" }) as Error);
    expect(() => streamed([{ type: "response.failed", response: failed }])).toThrow("slow down");
    expect(() => streamed([{ type: "error", code: "server_error", message: "oops" }])).toThrow("oops");
    expect(() => streamed([{ type: "response.created", response: {} }])).toThrow("ended before");
    expect(() => responses.fromResponse({ output: null })).toThrow("no output");
  });
});
