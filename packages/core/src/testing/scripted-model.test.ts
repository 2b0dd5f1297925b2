import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { HoneError } from "../errors.ts";
import type { Message } from "../message.ts";
import { runsOf } from "../runs.ts";
import { decodeByteTokens } from "./byte-tokens.ts";
import { scriptedModel } from "./scripted-model.ts";

const { signal } = new AbortController();
const user = (content: string): Message => ({ role: "user", content });

test("a list answers by turn, and says so when it is over", async () => {
  const model = scriptedModel(["one", { content: "two" }]);
  const first = await model.complete({ messages: [user("?")] }, { signal });
  expect(first.message).toEqual({ role: "assistant", content: "one" });
  expect(first.finish).toBe("stop");
  const history = [user("?"), first.message, user("and?")];
  const second = await model.complete({ messages: history }, { signal });
  expect(second.message.content).toBe("two");
  const over = await model
    .complete({ messages: [...history, second.message, user("?")] }, { signal })
    .catch((error: unknown) => error);
  expect(HoneError.is(over)).toBe(true);
  expect(over).toMatchObject({
    code: "bad-request",
    isRetryable: false,
    message: "the script is over: it has 2 replies, and this is turn 3",
  });
});

test("the same request gets the same reply, and its script the same random numbers", async () => {
  const model = scriptedModel((_request, { random }) => `${random.next()}`);
  const ask = async (seed?: number, turns = 0): Promise<string> => {
    const before = Array.from({ length: turns }, (): Message => ({ role: "assistant", content: "x" }));
    const messages = [user("?"), ...before];
    const request = { messages, ...(seed === undefined ? {} : { sampling: { seed } }) };
    return (await model.complete(request, { signal })).message.content;
  };
  expect(await ask(1)).toBe(await ask(1));
  expect(await ask()).toBe(await ask(0));
  expect(new Set([await ask(1), await ask(2), await ask(1, 1), await ask(1, 2)]).size).toBe(4);
});

test("tool calls get ids by turn and position; malformed arguments are sent as they are", async () => {
  const model = scriptedModel([
    {
      toolCalls: [
        { name: "add", arguments: { a: 1 } },
        { name: "add", arguments: "{broken" },
      ],
      reasoning: "hm",
    },
  ]);
  const { message, finish } = await model.complete({ messages: [user("?")] }, { signal });
  expect(finish).toBe("tool-calls");
  expect(message).toEqual({
    role: "assistant",
    content: "",
    reasoning: "hm",
    toolCalls: [
      { id: "call-0-0", name: "add", arguments: '{"a":1}' },
      { id: "call-0-1", name: "add", arguments: "{broken" },
    ],
  });
});

test("tokens extend what was seen; usage counts them", async () => {
  const model = scriptedModel(["one", { content: "tw", finish: "length" }, "three"], { policyVersion: 7 });
  const messages: Message[] = [user("?")];
  let seen: { ids: Int32Array; messages: number } | undefined;
  for (let turn = 0; turn < 3; turn++) {
    const { message, tokens, usage } = await model.complete({ messages, ...(seen && { seen }) }, { signal });
    if (tokens === undefined) throw new Error("a scripted policy returns tokens");
    expect(tokens.prompt.subarray(0, seen?.ids.length ?? 0)).toEqual(seen?.ids ?? new Int32Array());
    expect(usage).toEqual({ inputTokens: tokens.prompt.length, outputTokens: tokens.ids.length });
    expect(tokens.policyVersion).toEqual(runsOf(7, tokens.ids.length));
    expect(tokens.logprobs.length).toBe(tokens.ids.length);
    expect(tokens.logprobs.every((logprob) => logprob > -5 && logprob <= 0)).toBe(true);
    messages.push(message, user("on"));
    seen = { ids: Int32Array.of(...tokens.prompt, ...tokens.ids), messages: messages.length - 1 };
  }
  expect(decodeByteTokens(seen?.ids ?? new Int32Array())).toBe(
    "<|user|>?<|endOfTurn|><|assistant|>one<|endOfTurn|>" +
      "<|user|>on<|endOfTurn|><|assistant|>tw<|endOfTurn|><|user|>on<|endOfTurn|><|assistant|>three<|endOfTurn|>",
  );
});

test("without tokens the usage stays", async () => {
  const request = { messages: [user("hello")] };
  const plain = await scriptedModel(["yes"], { tokens: false, name: "judge" }).complete(request, { signal });
  const policy = await scriptedModel(["yes"]).complete(request, { signal });
  expect("tokens" in plain).toBe(false);
  expect(plain.usage).toEqual(policy.usage);
  expect(scriptedModel([], { name: "judge" }).name).toBe("judge");
});

test("a scripted failure is a model error with its status and hint", async () => {
  const fail = { message: "slow down", code: "rate-limit", status: 429, retryAfterMs: 5 } as const;
  const error = await scriptedModel([{ fail, delayMs: 1 }])
    .complete({ messages: [] }, { signal })
    .catch((error: unknown) => error);
  expect(error).toMatchObject({ ...fail, isRetryable: true });
});

test("an aborted call rejects with the signal's reason, before, during the script and during a delay", async () => {
  const reason = new Error("enough");
  const model = scriptedModel([{ content: "late", delayMs: 60_000 }]);
  await expect(model.complete({ messages: [] }, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);

  const waiting = new AbortController();
  const delayed = model.complete({ messages: [] }, { signal: waiting.signal });
  setTimeout(() => waiting.abort(reason), 1);
  await expect(delayed).rejects.toBe(reason);

  for (const delayMs of [undefined, 60_000]) {
    const during = new AbortController();
    const aborting = scriptedModel((_request, turn) => {
      expect(turn.signal).toBe(during.signal);
      during.abort(reason);
      return { content: "late", ...(delayMs === undefined ? {} : { delayMs }) };
    });
    await expect(aborting.complete({ messages: [] }, { signal: during.signal })).rejects.toBe(reason);
  }
});

test("a delay leaves nothing on the signal", async () => {
  const controller = new AbortController();
  const model = scriptedModel(() => ({ content: "x", delayMs: 0 }));
  await model.complete({ messages: [] }, { signal: controller.signal });
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});
