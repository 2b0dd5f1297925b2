import { ModelError, samplesOf } from "@hone/core";
import { scriptedModel } from "@hone/core/testing";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineEnvironment, end, fatal } from "../index.ts";
import { runOnce } from "../testing/run-once.ts";

const echo = { name: "echo", tasks: [{ word: "hi" }], prompt: () => "Say something.", rewards: { said: () => 1 } };
const talker = scriptedModel((_request, { index }) => `reply ${index}`);

describe("how a rollout stops", () => {
  test("stop conditions are tried in the order written", async () => {
    const environment = defineEnvironment({
      ...echo,
      respond: () => "go on",
      stop: { zebra: ({ turn }) => turn >= 2, ant: ({ turn }) => turn >= 2 },
    });
    expect((await runOnce(environment, { model: talker })).stop).toEqual({ type: "ended", by: "zebra" });
  });

  test("limits come before stop conditions and mark the rollout truncated", async () => {
    const environment = defineEnvironment({
      ...echo,
      respond: () => "go on",
      stop: { never: ({ turn }) => turn >= 3 },
      maxTurns: 3,
    });
    const rollout = await runOnce(environment, { model: talker });
    expect(rollout).toMatchObject({ stop: { type: "limit", of: "turns" }, truncated: true });
    expect(rollout.calls).toHaveLength(3);
    expect(rollout.agents[0]?.reward).toBe(1);
  });

  test("the configuration's limits win over the environment's", async () => {
    const environment = defineEnvironment({ ...echo, respond: () => "go on", maxTurns: 9 });
    const rollout = await runOnce(environment, { model: talker, settings: { limits: { turns: 2 } } });
    expect(rollout.agents[0]?.metrics["turns"]).toBe(2);
  });

  test.each(["inputTokens", "outputTokens", "totalTokens"] as const)(
    "a limit on %s ends it before the next call",
    async (name) => {
      const environment = defineEnvironment({ ...echo, respond: () => "go on", limits: { [name]: 1 } });
      const rollout = await runOnce(environment, { model: talker });
      expect(rollout.stop).toEqual({ type: "limit", of: name });
      expect(rollout.calls).toHaveLength(1);
    },
  );

  test("what the output limit leaves is all that the next call may sample", async () => {
    const asked: (number | undefined)[] = [];
    const model = scriptedModel(({ sampling }) => {
      asked.push(sampling?.maxTokens);
      return "12345";
    });
    const environment = defineEnvironment({ ...echo, respond: () => "go on", limits: { outputTokens: 8 } });
    await runOnce(environment, { model, sampling: { maxTokens: 7 } });
    expect(asked).toEqual([7, 2]);
  });

  test("seconds end it even when its code never looks at the signal, and it is still scored", async () => {
    const environment = defineEnvironment({
      ...echo,
      respond: () => new Promise<string>(() => {}),
      limits: { seconds: 0.03 },
    });
    const rollout = await runOnce(environment, { model: talker });
    expect(rollout).toMatchObject({ stop: { type: "limit", of: "seconds" }, truncated: true, agents: [{ reward: 1 }] });
  });

  test("a prompt that no longer fits is a clean stop", async () => {
    const model = scriptedModel((_request, { index }) => {
      return index < 1 ? "more" : { fail: { message: "too long", code: "context-length" } };
    });
    const rollout = await runOnce(defineEnvironment({ ...echo, respond: () => "go on" }), { model });
    expect(rollout).toMatchObject({ stop: { type: "limit", of: "context" }, truncated: true, agents: [{ reward: 1 }] });
    expect(rollout.failure).toBeUndefined();
  });

  test("a reply that was cut off marks it truncated", async () => {
    const model = scriptedModel(() => ({ content: "half an ans", finish: "length" }));
    expect(await runOnce(defineEnvironment(echo), { model })).toMatchObject({
      stop: { type: "answered" },
      truncated: true,
    });
  });

  test("end() names the reason and may say a last word", async () => {
    const rollout = await runOnce(defineEnvironment({ ...echo, respond: () => end("won", "Well done.") }), {
      model: talker,
    });
    expect(rollout.stop).toEqual({ type: "ended", by: "won" });
    expect(rollout.nodes.at(-1)).toMatchObject({ sampled: false, message: { role: "user", content: "Well done." } });
  });
});

describe("a failure is data with a boundary", () => {
  const failing = (more: object) => runOnce(defineEnvironment({ ...echo, ...more }), { model: talker });
  const explode = (): never => {
    throw new Error("boom");
  };

  test("the model", async () => {
    const model = {
      name: "down",
      complete: () => Promise.reject(new ModelError("503", { code: "server", status: 503 })),
    };
    const rollout = await runOnce(defineEnvironment(echo), { model });
    expect(rollout).toMatchObject({
      stop: { type: "failed" },
      failure: { boundary: "model", code: "server", isRetryable: true },
      agents: [{ reward: null, rewards: {} }],
      calls: [{ node: null, error: { code: "server" } }],
    });
  });
  test("state, prompt, respond and stop are the environment", async () => {
    for (const more of [
      { state: explode },
      { prompt: explode },
      { respond: explode },
      { respond: () => "x", stop: { s: explode } },
    ]) {
      expect((await failing(more)).failure).toMatchObject({
        boundary: "environment",
        message: "boom",
        isRetryable: false,
      });
    }
  });
  test("a reward that throws fails the rollout and never scores 0", async () => {
    const rollout = await failing({ rewards: { fine: () => 1, broken: explode } });
    expect(rollout).toMatchObject({
      stop: { type: "answered" },
      failure: { boundary: "reward", message: "Reward broken: boom" },
    });
    expect(rollout.agents[0]?.reward).toBeNull();
  });
  test.each([Number.NaN, Infinity, undefined, "1"])("a reward of %s is refused", async (value) => {
    expect((await failing({ rewards: { odd: () => value as number } })).failure).toMatchObject({
      boundary: "reward",
      code: "bad-reward",
    });
  });
  test("a sandbox that does not open", async () => {
    expect((await failing({ sandbox: {} })).failure).toMatchObject({ boundary: "sandbox", code: "sandbox-none" });
  });
  test("a tool that calls it fatal", async () => {
    const crash = {
      description: "",
      parameters: z.object({}),
      execute: () => {
        throw fatal("the database is gone");
      },
    };
    const model = scriptedModel([{ toolCalls: [{ name: "crash", arguments: {} }] }]);
    const rollout = await runOnce(defineEnvironment({ ...echo, tools: { crash } }), { model });
    expect(rollout.failure).toMatchObject({ boundary: "tool", message: "the database is gone" });
  });
});

describe("clean-up", () => {
  const order = (more: object, model = talker, signal?: AbortSignal) => {
    const log: string[] = [];
    const environment = defineEnvironment({
      ...echo,
      state: () => {
        log.push("state");
        return {};
      },
      rewards: {
        r: () => {
          log.push("reward");
          return 1;
        },
      },
      cleanup: ({ signal: own }) => {
        log.push(own.aborted ? "aborted cleanup" : "cleanup");
      },
      ...more,
    });
    return runOnce(environment, { model, ...(signal === undefined ? {} : { signal }) }).then((rollout) => ({
      log,
      rollout,
    }));
  };

  test("comes after the rewards", async () => {
    expect((await order({})).log).toEqual(["state", "reward", "cleanup"]);
  });
  test("runs after a failure", async () => {
    const respond = (): never => {
      throw new Error("boom");
    };
    expect((await order({ respond })).log).toEqual(["state", "cleanup"]);
  });
  test("runs after a cancel, with a signal it can still use", async () => {
    const controller = new AbortController();
    const slow = scriptedModel(() => ({ content: "late", delayMs: 60_000 }));
    setTimeout(() => controller.abort(new Error("stop")), 10);
    const { log, rollout } = await order({}, slow, controller.signal);
    expect(log).toEqual(["state", "cleanup"]);
    expect(rollout).toMatchObject({ stop: { type: "cancelled" }, agents: [{ reward: null }] });
    expect(rollout.failure).toBeUndefined();
  });
  test("that fails is noted and takes nothing away", async () => {
    const cleanup = (): never => {
      throw new Error("still open");
    };
    const { rollout } = await order({ cleanup });
    expect(rollout).toMatchObject({ info: { cleanup: "still open" }, agents: [{ reward: 1 }] });
  });
});

describe("tokens", () => {
  const step = { description: "", parameters: z.object({}), execute: () => "done" };
  const fiveTurns = defineEnvironment({
    ...echo,
    tools: { step },
    respond: ({ turn }) => (turn < 5 ? "again" : end("over")),
  });
  const tools = scriptedModel((_request, { index }) =>
    index < 4 ? { toolCalls: [{ name: "step", arguments: {} }] } : "that is all",
  );

  test("a five-turn tool rollout is one sample whose sampled tokens alone carry weight", async () => {
    const rollout = await runOnce(fiveTurns, { model: tools, sampling: { temperature: 0.7 } });
    const samples = samplesOf(rollout);
    expect(samples).toHaveLength(1);
    const sampled = rollout.nodes.reduce((sum, node) => sum + (node.tokens?.logprobs.length ?? 0), 0);
    const [sample] = samples;
    expect(sample?.weight.reduce((sum, weight) => sum + weight, 0)).toBe(sampled);
    expect(sample?.temperature).toEqual({ values: [0.7], lengths: [sample?.tokens.length] });
    expect(rollout.info["restarts"]).toBeUndefined();
  });

  test("a server that renders history differently starts a branch, and the rollout says so", async () => {
    const forgetful = {
      name: "forgetful",
      complete: (
        { seen: _seen, ...request }: Parameters<typeof tools.complete>[0],
        options: { signal: AbortSignal },
      ) => {
        const messages = request.messages.map((message) => ({ ...message, content: `${String(message.content)} ` }));
        return tools.complete({ ...request, messages }, options);
      },
    };
    const rollout = await runOnce(defineEnvironment({ ...echo, tools: { step } }), {
      model: forgetful,
      settings: { limits: { turns: 2 } },
    });
    expect(rollout.info["restarts"]).toHaveLength(1);
    const samples = samplesOf(rollout);
    expect(samples).toHaveLength(2);
    expect(rollout.nodes.filter((node) => node.sampled)).toHaveLength(2);
  });

  test("each call has its own seed, the same in every run", async () => {
    const seeds = async (seed: number) =>
      (await runOnce(fiveTurns, { model: tools, seed })).calls.map((call) => call.sampling.seed);
    const first = await seeds(1);
    expect(new Set(first).size).toBe(5);
    expect(await seeds(1)).toEqual(first);
    expect(await seeds(2)).not.toEqual(first);
  });
});

test("the run's system prompt replaces the environment's", async () => {
  const environment = defineEnvironment({ ...echo, system: "Be brief." });
  const systemOf = async (settings: object) =>
    (await runOnce(environment, { model: talker, settings })).nodes[0]?.message.content;
  expect(await systemOf({})).toBe("Be brief.");
  expect(await systemOf({ system: "Be kind." })).toBe("Be kind.");
});

test("a sandbox that opens after the rollout was given up is closed", async () => {
  const log: string[] = [];
  const sandboxes = {
    name: "slow",
    open: async () => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      log.push("open");
      return { sandbox: {} as never, [Symbol.asyncDispose]: async () => void log.push("close") };
    },
  };
  const environment = defineEnvironment({ ...echo, sandbox: {}, limits: { seconds: 0.02 } });
  const rollout = await runOnce(environment, { model: talker, sandboxes });
  expect(rollout.stop).toEqual({ type: "limit", of: "seconds" });
  await expect.poll(() => log).toEqual(["open", "close"]);
});
