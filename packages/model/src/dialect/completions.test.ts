import type { Message, ModelRequest } from "@hone/core";
import { expect, test } from "vitest";
import type { Endpoint } from "../endpoint.ts";
import { completions } from "./completions.ts";

const endpoint: Endpoint = { name: "c", model: "base", baseUrl: "http://127.0.0.1:8000/v1", dialect: "completions" };
const body = (said: readonly Message[], more: Partial<ModelRequest> = {}) =>
  completions.toRequest({ messages: said, ...more }, endpoint).body;

test("one user message is the prompt itself", () => {
  const sampling = { maxTokens: 9, stop: ["END"] };
  expect(body([{ role: "user", content: "Once upon" }], { sampling })).toEqual({
    model: "base",
    prompt: "Once upon",
    max_tokens: 9,
    stop: ["END"],
  });
});

test("a conversation is a transcript, and the next speaker ends the reply", () => {
  const said: readonly Message[] = [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "hello" }] },
    { role: "assistant", content: "hi", reasoning: "greet" },
    { role: "user", content: "bye" },
  ];
  expect(body(said, { sampling: { stop: ["END"] } })).toMatchObject({
    prompt: "System: Be brief.\n\nUser: hello\n\nAssistant: hi\n\nUser: bye\n\nAssistant:",
    stop: ["END", "\n\nUser:"],
  });
});

test("tools and images are refused", () => {
  const tools = [{ name: "look", description: "", parameters: {} }];
  expect(() => body([{ role: "user", content: "a" }], { tools })).toThrow("no place for tools");
  const image = [{ type: "image", url: "https://example.org/a.png" }] as const;
  expect(() => body([{ role: "user", content: image }])).toThrow("no place for images");
});

test("a streamed reply equals the whole one, tokens included", () => {
  const usage = { prompt_tokens: 2, completion_tokens: 2 };
  const whole = completions.fromResponse({
    choices: [
      {
        text: " a time",
        finish_reason: "length",
        prompt_token_ids: [1, 2],
        token_ids: [3, 4],
        logprobs: { tokens: ["a", "b"], token_logprobs: [-1, -2] },
      },
    ],
    usage,
  });
  expect(whole.completion).toEqual({
    message: { role: "assistant", content: " a time" },
    finish: "length",
    usage: { inputTokens: 2, outputTokens: 2 },
    tokens: {
      prompt: Int32Array.of(1, 2),
      ids: Int32Array.of(3, 4),
      logprobs: Float32Array.of(-1, -2),
      policyVersion: { values: [0], lengths: [2] },
    },
  });
  const stream = completions.createStream();
  const push = (choice: object): boolean => stream.push({ data: JSON.stringify({ choices: [choice] }) });
  push({ text: " a", prompt_token_ids: [1, 2], token_ids: [3], logprobs: { token_logprobs: [-1] } });
  push({ text: " time", token_ids: [4], logprobs: { token_logprobs: [-2] }, finish_reason: "length" });
  stream.push({ data: JSON.stringify({ choices: [], usage }) });
  expect(stream.push({ data: "[DONE]" })).toBe(true);
  expect(stream.finish()).toEqual(whole);
});

test("a reply without text, and a stream without an end, are refused", () => {
  expect(() => completions.fromResponse({ choices: [{ message: {} }] })).toThrow("no text");
  expect(() => completions.createStream().finish()).toThrow("ended before");
});
