import { type GenerateRequest, type ModelRequest, type RolloutId, runsOf, type Sampler } from "@hone/core";
import { createToyEngine } from "@hone/core/testing";
import { chatmlTemplate, createByteTokenizer, createChatTemplate, createRenderer } from "@hone/tokens";
import { describe, expect, test } from "vitest";
import { policyModel, type PolicyModelOptions } from "./policy.ts";

const tokenizer = createByteTokenizer(["<|im_start|>", "<|im_end|>"]);
const renderer = createRenderer({ tokenizer, template: createChatTemplate(chatmlTemplate) });
const { signal } = new AbortController();
const user = (content: string) => ({ role: "user", content }) as const;

/** A sampler whose every reply is given, and what it was asked for. */
function saying(text: string, finish: "stop" | "length" = "stop") {
  const asked: GenerateRequest[] = [];
  const sampler: Sampler = {
    policy: "latest",
    generate: async (request) => {
      asked.push(request);
      const ids = tokenizer.encode(text, { control: true });
      return {
        sequences: [
          { ids, logprobs: new Float32Array(ids.length).fill(-1), policyVersion: runsOf(3, ids.length), finish },
        ],
      };
    },
    score: () => Promise.reject(new Error("not asked for")),
  };
  const model = (more: Partial<PolicyModelOptions> = {}) =>
    policyModel({ name: "policy", sampler, renderer, info: { contextTokens: 1000 }, ...more });
  return { asked, model };
}

test("a reply has the message, and the ids and logprobs it was sampled as", async () => {
  const { model } = saying("Hello.<|im_end|>");
  const { message, finish, usage, tokens } = await model().complete({ messages: [user("hi")] }, { signal });
  expect(message).toEqual({ role: "assistant", content: "Hello." });
  expect(finish).toBe("stop");
  expect(tokenizer.decode(tokens?.prompt ?? new Int32Array())).toBe(
    "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n",
  );
  expect(tokens).toMatchObject({
    logprobs: new Float32Array(7).fill(-1),
    policyVersion: { values: [3], lengths: [7] },
  });
  expect(usage).toEqual({ inputTokens: tokens?.prompt.length, outputTokens: 7 });
});

test("the next turn extends the ids of the one before", async () => {
  const { model, asked } = saying("Hello.<|im_end|>");
  const first = await model().complete({ messages: [user("hi")] }, { signal });
  const seen = Int32Array.of(...(first.tokens?.prompt ?? []), ...(first.tokens?.ids ?? []));
  const messages = [user("hi"), first.message, user("more")];
  await model().complete({ messages, seen: { ids: seen, messages: 2 } }, { signal });
  const prompt = asked[1]?.prompt ?? new Int32Array();
  expect(prompt.subarray(0, seen.length)).toEqual(seen);
  expect(tokenizer.decode(prompt.subarray(seen.length))).toBe(
    "\n<|im_start|>user\nmore<|im_end|>\n<|im_start|>assistant\n",
  );
});

test("a conversation that cannot be extended starts a branch, and says why", async () => {
  const { model, asked } = saying("Hello.<|im_end|>");
  const reasons: string[] = [];
  const renderOnly = {
    ...renderer,
    extend: (_seen: unknown, messages: ModelRequest["messages"]) => ({
      ...renderer.render(messages),
      reason: "edited",
    }),
  };
  const request: ModelRequest = { messages: [user("hi")], seen: { ids: Int32Array.of(1, 2), messages: 1 } };
  await model({ renderer: renderOnly, onBranch: (reason) => reasons.push(reason) }).complete(request, { signal });
  expect(reasons).toEqual(["edited"]);
  expect(asked[0]?.prompt).toEqual(renderer.render(request.messages).ids);
});

test("calls are read where tools are offered, and only there", async () => {
  const { model } = saying('<tool_call>{"name": "look", "arguments": {"word": "bee"}}</tool_call><|im_end|>');
  const tools = [{ name: "look", description: "", parameters: {} }];
  const called = await model().complete({ messages: [user("hi")], tools }, { signal });
  expect(called.finish).toBe("tool-calls");
  expect(called.message.toolCalls).toMatchObject([{ name: "look", arguments: '{"word": "bee"}' }]);
  const plain = await model().complete({ messages: [user("hi")] }, { signal });
  expect(plain.finish).toBe("stop");
  expect(plain.message.toolCalls).toBeUndefined();
});

describe("sampling", () => {
  const request: ModelRequest = {
    messages: [user("hi")],
    sampling: { maxTokens: 5, temperature: 0.7, seed: 11, topP: 0.9, topK: 4, minP: 0.1, stop: ["END"] },
    session: { rollout: "r1" as RolloutId, agent: "agent" },
  };

  test("is the engine's, with the stop tokens of the template", async () => {
    const { model, asked } = saying("Hello.<|im_end|>");
    await model().complete(request, { signal });
    expect(asked[0]).toMatchObject({
      count: 1,
      sampling: {
        maxTokens: 5,
        temperature: 0.7,
        seed: 11,
        topP: 0.9,
        topK: 4,
        minP: 0.1,
        stopStrings: ["END"],
        stopTokens: renderer.stopTokens,
      },
    });
  });

  test("without a seed depends on who asks, and on the turn", async () => {
    const { model, asked } = saying("Hello.<|im_end|>");
    const { seed: _seed, ...sampling } = request.sampling ?? {};
    for (const rollout of ["r1", "r1", "r2"] as RolloutId[]) {
      await model().complete({ ...request, sampling, session: { rollout, agent: "agent" } }, { signal });
    }
    const [first, again, other] = asked.map((each) => each.sampling.seed);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  test("that an engine cannot honour is refused", async () => {
    const { model } = saying("Hello.<|im_end|>");
    const refused = async (sampling: NonNullable<ModelRequest["sampling"]>) =>
      expect(model().complete({ ...request, sampling }, { signal })).rejects.toMatchObject({ code: "bad-request" });
    await refused({ presencePenalty: 1 });
    await refused({ reasoningEffort: "low" });
    await refused({ extra: { repetition_penalty: 1.1 } });
    await model().complete(
      { ...request, sampling: { extra: { chat_template_kwargs: { enable_thinking: false } } } },
      { signal },
    );
  });

  test("a stop text ends the reply and is not part of what was said", async () => {
    const { model } = saying("Hello. END");
    const { message, finish, tokens } = await model().complete(request, { signal });
    expect(message.content).toBe("Hello. ");
    expect(finish).toBe("stop");
    expect(tokens?.ids).toHaveLength(10);
  });

  test("a reply cut off by the limit says so", async () => {
    const { model } = saying("Hell", "length");
    expect(await model().complete(request, { signal })).toMatchObject({
      finish: "length",
      message: { content: "Hell" },
    });
  });
});

test("a prompt that fills the context is a clean stop, and what is left of it bounds the reply", async () => {
  const { model, asked } = saying("Hello.<|im_end|>");
  const length = renderer.render([user("hi")]).ids.length;
  const full = model({ info: { contextTokens: length } }).complete({ messages: [user("hi")] }, { signal });
  await expect(full).rejects.toMatchObject({ name: "ModelError", code: "context-length", isRetryable: false });
  await model({ info: { contextTokens: length + 3 } }).complete(
    { messages: [user("hi")], sampling: { maxTokens: 50 } },
    { signal },
  );
  expect(asked[0]?.sampling.maxTokens).toBe(3);
});

test("on a real engine the logprobs are those that scoring gives, and the same seed says the same", async () => {
  const engine = createToyEngine({ vocabularySize: 258, contextTokens: 256 });
  const sampler = engine.sampler("latest");
  const model = policyModel({ name: "toy", sampler, renderer, info: engine.info });
  const request: ModelRequest = { messages: [user("hi")], sampling: { maxTokens: 12, temperature: 0.8, seed: 5 } };
  const [{ tokens }, again] = [await model.complete(request, { signal }), await model.complete(request, { signal })];
  expect(again.tokens).toEqual(tokens);
  const whole = Int32Array.of(...(tokens?.prompt ?? []), ...(tokens?.ids ?? []));
  const [scored] = await sampler.score([whole], { temperature: 0.8, signal });
  for (const [index, logprob] of (tokens?.logprobs ?? []).entries()) {
    expect(logprob).toBeCloseTo(scored?.[(tokens?.prompt.length ?? 0) + index] ?? 0, 5);
  }
  const cancelled = AbortSignal.abort(new Error("enough"));
  await expect(model.complete(request, { signal: cancelled })).rejects.toThrow("enough");
  await engine.close();
});
