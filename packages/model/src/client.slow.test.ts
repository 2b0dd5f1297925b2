import type { ModelRequest, RolloutId } from "@hone/core";
import { scriptedModel } from "@hone/core/testing";
import { describe, expect, test } from "vitest";
import { createClient } from "./client.ts";
import type { DialectName, Endpoint } from "./endpoint.ts";
import { serveScripted } from "./testing/serve.ts";

const dialects: readonly DialectName[] = ["chat", "responses", "messages", "completions"];
const { signal } = new AbortController();
const tools = [
  {
    name: "look",
    description: "Look up a word.",
    parameters: { type: "object", properties: { word: { type: "string" } } },
  },
];

function endpoint(url: string, dialect: DialectName, more: Partial<Endpoint> = {}): Endpoint {
  return { name: `test-${dialect}`, model: "scripted", baseUrl: url, dialect, ...more };
}

describe.each(dialects.flatMap((dialect) => [false, true].map((stream) => ({ dialect, stream }))))(
  "$dialect, stream $stream",
  ({ dialect, stream }) => {
    test("a reply comes through whole", async () => {
      await using server = await serveScripted(["Ünïcode 😀 and a longer second part."]);
      await using client = createClient(endpoint(server.url, dialect, { stream }));
      const request: ModelRequest = {
        messages: [{ role: "user", content: "hello" }],
        sampling: { maxTokens: 50, temperature: 0.5 },
        session: { rollout: "group 1/rollout 2" as RolloutId, agent: "agent" },
      };
      const { message, finish, usage } = await client.complete(request, { signal });
      expect(message).toEqual({ role: "assistant", content: "Ünïcode 😀 and a longer second part." });
      expect(finish).toBe("stop");
      expect(usage.inputTokens).toBeGreaterThan(0);
      expect(usage.outputTokens).toBeGreaterThan(0);
      expect(server.requests[0]?.headers["x-session-id"]).toBe("group%201/rollout%202");
      expect(server.requests[0]?.body["stream"]).toBe(stream ? true : undefined);
    });

    test("a reply that was cut off says so", async () => {
      await using server = await serveScripted([{ content: "half a", finish: "length" }]);
      await using client = createClient(endpoint(server.url, dialect, { stream }));
      const { finish } = await client.complete({ messages: [{ role: "user", content: "hello" }] }, { signal });
      expect(finish).toBe("length");
    });
  },
);

describe.each(
  (["chat", "responses", "messages"] as const).flatMap((dialect) =>
    [false, true].map((stream) => ({ dialect, stream })),
  ),
)("$dialect, stream $stream", ({ dialect, stream }) => {
  test("tools, reasoning and images survive several turns", async () => {
    const seen: ModelRequest[] = [];
    await using server = await serveScripted((request, { index }) => {
      seen.push(request);
      return index === 0
        ? {
            content: "Let me look.",
            reasoning: "Two words, two calls.",
            toolCalls: [
              { name: "look", arguments: { word: "bee" } },
              { name: "look", arguments: { word: "honey" } },
            ],
          }
        : "Done.";
    });
    await using client = createClient(endpoint(server.url, dialect, { stream }));
    const first: ModelRequest = {
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image", url: "data:image/png;base64,aGVsbG8=" },
            { type: "image", url: "https://example.org/bee.png" },
          ],
        },
      ],
      tools,
      sampling: { reasoningEffort: "low", maxTokens: 100 },
    };
    const called = await client.complete(first, { signal });
    expect(called.finish).toBe("tool-calls");
    expect(called.message.reasoning).toBe("Two words, two calls.");
    expect(called.message.content).toBe("Let me look.");
    expect(called.message.toolCalls?.map(({ name, arguments: text }) => [name, JSON.parse(text)])).toEqual([
      ["look", { word: "bee" }],
      ["look", { word: "honey" }],
    ]);
    const [bee, honey] = called.message.toolCalls ?? [];
    // A copy: messages may cross a worker or a file between turns.
    const said = structuredClone(called.message);
    const second: ModelRequest = {
      ...first,
      messages: [
        ...first.messages,
        said,
        { role: "tool", toolCallId: bee?.id ?? "", content: "an insect" },
        { role: "tool", toolCallId: honey?.id ?? "", content: "sweet" },
        { role: "user", content: "And now?" },
      ],
    };
    expect((await client.complete(second, { signal })).message.content).toBe("Done.");
    expect(seen[1]?.messages).toEqual(second.messages);
    expect(seen[1]?.tools).toEqual(tools);
  });
});

describe.each(
  (["chat", "completions"] as const).flatMap((dialect) => [false, true].map((stream) => ({ dialect, stream }))),
)("$dialect, stream $stream", ({ dialect, stream }) => {
  test("token ids and logprobs are those of the model", async () => {
    const model = scriptedModel(["A reply of some length."]);
    await using server = await serveScripted(model);
    await using client = createClient(endpoint(server.url, dialect, { stream, tokens: true }));
    const request: ModelRequest = { messages: [{ role: "user", content: "hello" }] };
    const [direct, served] = [await model.complete(request, { signal }), await client.complete(request, { signal })];
    expect(served.tokens).toEqual(direct.tokens);
    expect(served.usage).toEqual(direct.usage);
  });
});
