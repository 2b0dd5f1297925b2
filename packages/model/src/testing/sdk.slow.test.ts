// The official packages as oracles: they must understand our server, and our server must understand them as it understands our client.
import Anthropic from "@anthropic-ai/sdk";
import type { ModelRequest } from "@hone/core";
import type { Script } from "@hone/core/testing";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { createClient } from "../client.ts";
import type { DialectName } from "../endpoint.ts";
import { serveScripted } from "./serve.ts";

const { signal } = new AbortController();
const parameters = { type: "object", properties: { word: { type: "string" } }, required: ["word"] } as const;
const image = "data:image/png;base64,aGVsbG8=";
const reply = {
  content: "It is a bee.",
  reasoning: "Yellow and black.",
  toolCalls: [{ name: "look", arguments: { word: "bee" } }],
};

/** What our client sends; each test below says the same with an official package. */
const request: ModelRequest = {
  messages: [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "image", url: image },
      ],
    },
    {
      role: "assistant",
      content: "Let me look.",
      toolCalls: [{ id: "call_1", name: "look", arguments: '{"word":"bee"}' }],
    },
    { role: "tool", toolCallId: "call_1", content: "an insect" },
    { role: "user", content: "And now?" },
  ],
  tools: [{ name: "look", description: "Look up a word.", parameters }],
  sampling: { maxTokens: 64, temperature: 0.5, topP: 0.9 },
};

async function serving() {
  const understood: ModelRequest[] = [];
  const script: Script = (asked) => {
    understood.push(asked);
    return reply;
  };
  const server = await serveScripted(script, { apiKey: "right" });
  const ours = async (dialect: DialectName, asked: ModelRequest, stream = false) => {
    const endpoint = { name: "ours", model: "scripted", baseUrl: server.url, dialect, key: "TEST_KEY", stream };
    await using client = createClient(endpoint, { env: { TEST_KEY: "right" } });
    return await client.complete(asked, { signal });
  };
  const openai = new OpenAI({ apiKey: "right", baseURL: server.url, maxRetries: 0 });
  const anthropic = new Anthropic({ apiKey: "right", baseURL: new URL(server.url).origin, maxRetries: 0 });
  return { understood, ours, openai, anthropic, [Symbol.asyncDispose]: () => server.close() };
}

describe.each([false, true])("stream %s", (stream) => {
  test("openai's chat completions", async () => {
    await using session = await serving();
    const { understood, ours, openai } = session;
    const body = {
      model: "scripted",
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image_url", image_url: { url: image } },
          ],
        },
        {
          role: "assistant",
          content: "Let me look.",
          tool_calls: [{ id: "call_1", type: "function", function: { name: "look", arguments: '{"word":"bee"}' } }],
        },
        { role: "tool", tool_call_id: "call_1", content: "an insect" },
        { role: "user", content: "And now?" },
      ],
      tools: [{ type: "function", function: { name: "look", description: "Look up a word.", parameters } }],
      max_tokens: 64,
      temperature: 0.5,
      top_p: 0.9,
    } satisfies OpenAI.ChatCompletionCreateParamsNonStreaming;
    const theirs = stream
      ? await openai.chat.completions.stream({ ...body, stream_options: { include_usage: true } }).finalChatCompletion()
      : await openai.chat.completions.create(body);
    const own = await ours("chat", request, stream);
    expect(understood[0]).toEqual(understood[1]);
    const choice = theirs.choices[0];
    expect(choice?.message.content).toBe(own.message.content);
    expect(choice?.finish_reason).toBe("tool_calls");
    expect(choice?.message.tool_calls).toMatchObject([
      { id: own.message.toolCalls?.[0]?.id, type: "function", function: { name: "look", arguments: '{"word":"bee"}' } },
    ]);
    expect(theirs.usage?.prompt_tokens).toBe(own.usage.inputTokens);
    expect(theirs.usage?.completion_tokens).toBe(own.usage.outputTokens);
  });

  test("openai's responses", async () => {
    await using session = await serving();
    const { understood, ours, openai } = session;
    const body = {
      model: "scripted",
      input: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "input_text", text: "What is this?" },
            { type: "input_image", image_url: image, detail: "auto" },
          ],
        },
        { role: "assistant", content: "Let me look." },
        { type: "function_call", call_id: "call_1", name: "look", arguments: '{"word":"bee"}' },
        { type: "function_call_output", call_id: "call_1", output: "an insect" },
        { role: "user", content: "And now?" },
      ],
      tools: [{ type: "function", name: "look", description: "Look up a word.", parameters, strict: false }],
      max_output_tokens: 64,
      temperature: 0.5,
      top_p: 0.9,
    } satisfies OpenAI.Responses.ResponseCreateParamsNonStreaming;
    const theirs = stream ? await openai.responses.stream(body).finalResponse() : await openai.responses.create(body);
    const own = await ours("responses", request, stream);
    expect(understood[0]).toEqual(understood[1]);
    expect(theirs.output_text).toBe(own.message.content);
    expect(theirs.output.map((item) => item.type)).toEqual(["reasoning", "message", "function_call"]);
    expect(theirs.output[2]).toMatchObject({ call_id: own.message.toolCalls?.[0]?.id, arguments: '{"word":"bee"}' });
    expect(theirs.usage?.input_tokens).toBe(own.usage.inputTokens);
  });

  test("openai's completions", async () => {
    await using session = await serving();
    const { understood, ours, openai } = session;
    const body = { model: "scripted", prompt: "Say something.", max_tokens: 64 };
    let text = "";
    if (stream) {
      for await (const chunk of await openai.completions.create({ ...body, stream: true }))
        text += chunk.choices[0]?.text ?? "";
    } else text = (await openai.completions.create(body)).choices[0]?.text ?? "";
    const asked: ModelRequest = {
      messages: [{ role: "user", content: "Say something." }],
      sampling: { maxTokens: 64 },
    };
    const own = await ours("completions", asked, stream);
    expect(understood[0]).toEqual(understood[1]);
    expect(text).toBe(own.message.content);
  });

  test("anthropic's messages", async () => {
    await using session = await serving();
    const { understood, ours, anthropic } = session;
    const body = {
      model: "scripted",
      system: "Be brief.",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "aGVsbG8=" } },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "text", text: "Let me look." },
            { type: "tool_use", id: "call_1", name: "look", input: { word: "bee" } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "call_1", content: [{ type: "text", text: "an insect" }] },
            { type: "text", text: "And now?" },
          ],
        },
      ],
      tools: [{ name: "look", description: "Look up a word.", input_schema: { ...parameters, required: ["word"] } }],
      max_tokens: 64,
    } satisfies Anthropic.MessageCreateParamsNonStreaming;
    const theirs = stream
      ? await anthropic.messages.stream(body).finalMessage()
      : await anthropic.messages.create(body);
    const own = await ours("messages", { ...request, sampling: { maxTokens: 64 } }, stream);
    expect(understood[0]).toEqual(understood[1]);
    expect(theirs.stop_reason).toBe("tool_use");
    expect(theirs.content).toMatchObject([
      { type: "thinking", thinking: own.message.reasoning },
      { type: "text", text: own.message.content },
      { type: "tool_use", id: own.message.toolCalls?.[0]?.id, name: "look", input: { word: "bee" } },
    ]);
    expect(theirs.usage).toMatchObject({ input_tokens: own.usage.inputTokens, output_tokens: own.usage.outputTokens });
  });
});

test("their errors are ours: a wrong key, an over-long prompt, a busy server", async () => {
  await using server = await serveScripted(
    (asked) => ({ fail: { message: "too much", code: asked.messages.length > 1 ? "rate-limit" : "context-length" } }),
    { apiKey: "right" },
  );
  const openai = new OpenAI({ apiKey: "right", baseURL: server.url, maxRetries: 0 });
  const anthropic = new Anthropic({ apiKey: "wrong", baseURL: new URL(server.url).origin, maxRetries: 0 });
  const user = { role: "user", content: "hello" } as const;
  await expect(openai.chat.completions.create({ model: "m", messages: [user] })).rejects.toMatchObject({
    status: 400,
    code: "context_length_exceeded",
  });
  await expect(openai.chat.completions.create({ model: "m", messages: [user, user] })).rejects.toBeInstanceOf(
    OpenAI.RateLimitError,
  );
  await expect(anthropic.messages.create({ model: "m", max_tokens: 1, messages: [user] })).rejects.toBeInstanceOf(
    Anthropic.AuthenticationError,
  );
});
