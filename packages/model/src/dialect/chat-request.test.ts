import type { ModelRequest } from "@hone/core";
import { expect, test } from "vitest";
import type { Endpoint } from "../endpoint.ts";
import { chat } from "./chat.ts";

const endpoint: Endpoint = { name: "local", model: "qwen3", baseUrl: "http://127.0.0.1:8000/v1", dialect: "chat" };
const hello: ModelRequest = { messages: [{ role: "user", content: "hello" }] };

test("every message has its place on the wire", () => {
  const request: ModelRequest = {
    messages: [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "Look:" },
          { type: "image", url: "https://example.org/a.png" },
        ],
      },
      { role: "assistant", content: "", reasoning: "hm", toolCalls: [{ id: "c1", name: "look", arguments: "{bad" }] },
      { role: "tool", toolCallId: "c1", content: "a bee" },
    ],
    tools: [{ name: "look", description: "Look.", parameters: { type: "object" } }],
  };
  expect(chat.toRequest(request, endpoint)).toEqual({
    path: "/chat/completions",
    body: {
      model: "qwen3",
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "Look:" },
            { type: "image_url", image_url: { url: "https://example.org/a.png" } },
          ],
        },
        {
          role: "assistant",
          content: null,
          reasoning_content: "hm",
          tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: "{bad" } }],
        },
        { role: "tool", tool_call_id: "c1", content: "a bee" },
      ],
      tools: [{ type: "function", function: { name: "look", description: "Look.", parameters: { type: "object" } } }],
    },
  });
});

test("sampling is sent under the server's names, and extra fields win", () => {
  const sampling = {
    maxTokens: 9,
    temperature: 0.5,
    topP: 0.9,
    topK: 40,
    minP: 0.1,
    presencePenalty: 1,
    frequencyPenalty: 2,
    seed: 7,
    stop: ["END"],
    reasoningEffort: "low",
    extra: { tool_choice: "required", top_p: 0.8 },
  } as const;
  expect(chat.toRequest({ ...hello, sampling }, endpoint).body).toEqual({
    model: "qwen3",
    messages: [{ role: "user", content: "hello" }],
    max_tokens: 9,
    temperature: 0.5,
    top_p: 0.8,
    top_k: 40,
    min_p: 0.1,
    presence_penalty: 1,
    frequency_penalty: 2,
    seed: 7,
    stop: ["END"],
    reasoning_effort: "low",
    tool_choice: "required",
  });
});

test("the limit of tokens is named as the server names it", () => {
  const limited: ModelRequest = { ...hello, sampling: { maxTokens: 9 } };
  const openai = { ...endpoint, baseUrl: "https://api.openai.com/v1" };
  expect(chat.toRequest(limited, openai).body).toMatchObject({ max_completion_tokens: 9 });
  expect(chat.toRequest(limited, openai).body).not.toHaveProperty("max_tokens");
  const told = { ...openai, maxTokensField: "max_tokens" } as const;
  expect(chat.toRequest(limited, told).body).toMatchObject({ max_tokens: 9 });
});

test("token ids and streaming are asked for by the endpoint", () => {
  expect(chat.toRequest(hello, { ...endpoint, tokens: true, stream: true }).body).toMatchObject({
    logprobs: true,
    return_token_ids: true,
    stream: true,
    stream_options: { include_usage: true },
  });
});

test("reasoning is kept back where the server refuses it", () => {
  const said: ModelRequest = { messages: [{ role: "assistant", content: "a", reasoning: "b" }] };
  const { body } = chat.toRequest(said, { ...endpoint, sendReasoning: false });
  expect(body["messages"]).toEqual([{ role: "assistant", content: "a" }]);
});
