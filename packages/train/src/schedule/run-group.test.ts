import {
  type Environment,
  HoneError,
  type Model,
  ModelError,
  type NodeTokens,
  type Rollout,
  type RolloutId,
} from "@hone/core";
import { scriptedModel } from "@hone/core/testing";
import { defineEnvironment } from "@hone/env";
import { expect, test } from "vitest";
import type { Ticket, TrainEnvironment } from "../nouns.ts";
import { wordsEnvironment } from "../testing/words.ts";
import { Activity } from "./activity.ts";
import { Limiter } from "./limiter.ts";
import { type GroupRunner, runGroup } from "./run-group.ts";

const env = wordsEnvironment("a", 3);
const signal = new AbortController().signal;
const ticket: Ticket = {
  number: 7,
  env: "a",
  task: { id: "a-0", word: "word0" } as never,
  group: "a-000007" as never,
  epoch: 0,
};

function runner(model: Model, more: Partial<GroupRunner> = {}) {
  const recorded: Rollout[] = [];
  const made: GroupRunner = {
    environments: new Map([["a", env]]),
    resources: () => ({
      model,
      models: () => model,
      sandboxes: { name: "none", open: () => Promise.reject(new Error()) },
    }),
    limiter: new Limiter(8),
    activity: new Activity(() => performance.now()),
    seed: 1,
    retry: { attempts: 1 },
    record: async (rollout) => void recorded.push(rollout),
    saved: new Map(),
    sleep: async () => undefined,
    ...more,
  };
  return { runner: made, recorded };
}
const coin = scriptedModel(({ messages }, { random }) =>
  random.next() < 0.5 ? String(messages.at(-1)?.content) : "no",
);

test("a group has its size in rollouts, each with a seed of its own, the same in every run", async () => {
  const first = runner(coin);
  const group = await runGroup(first.runner, ticket, 3, signal);
  expect(group.rollouts.map(({ id }) => id)).toEqual(["a-000007#0", "a-000007#1", "a-000007#2", "a-000007#3"]);
  expect(first.recorded).toHaveLength(4);
  const again = await runGroup(runner(coin).runner, ticket, 3, signal);
  expect(again.rollouts.map(({ seed, agents }) => [seed, agents[0]?.reward])).toEqual(
    group.rollouts.map(({ seed, agents }) => [seed, agents[0]?.reward]),
  );
  expect(new Set(group.rollouts.map(({ seed }) => seed)).size).toBe(4);
});

test("rollouts saved by an earlier life of the run are not run again", async () => {
  const whole = await runGroup(runner(coin).runner, ticket, 0, signal);
  let calls = 0;
  const counting: Model = { name: "m", complete: (...request) => (calls++, coin.complete(...request)) };
  const saved = new Map(whole.rollouts.slice(0, 3).map((rollout) => [rollout.id, rollout]));
  const { runner: resumed, recorded } = runner(counting, { saved });
  const group = await runGroup(resumed, ticket, 0, signal);
  expect(calls).toBe(1);
  expect(recorded.map(({ id }) => id)).toEqual(["a-000007#3" as RolloutId]);
  expect(group.rollouts.map(({ id }) => id)).toEqual(whole.rollouts.map(({ id }) => id));
});

test("survivors of a group are kept when there are two, else the group is run again", async () => {
  const failing = (good: number): Model => {
    let calls = 0;
    return {
      name: "shaky",
      complete: (...request) =>
        calls++ % 4 < good ? coin.complete(...request) : Promise.reject(new ModelError("down", { code: "server" })),
    };
  };
  const kept = await runGroup(runner(failing(2)).runner, ticket, 0, signal);
  expect(kept).toMatchObject({ attempt: 0, rollouts: [{}, {}], failed: [{}, {}] });
  const lost = await runGroup(runner(failing(1)).runner, ticket, 0, signal);
  expect(lost.attempt).toBe(2);
  expect(lost.rollouts[0]?.id).toBe("a-000007#0@2");
});

test("group rewards are known before a rollout is recorded", async () => {
  const compared = defineEnvironment({
    name: "a",
    tasks: [{ word: "x" }],
    prompt: ({ task }) => task.word,
    rewards: { rank: { scoreGroup: (group) => group.map((_, index) => index) } },
  });
  const { runner: made, recorded } = runner(coin, {
    environments: new Map([["a", { ...env, environment: compared }]]),
  });
  await runGroup(made, ticket, 0, signal);
  expect(recorded.map(({ agents }) => agents[0]?.reward)).toEqual([0, 1, 2, 3]);
});

const failures = (group: Awaited<ReturnType<typeof runGroup>>) =>
  [...group.failed, ...group.lost].map(({ failure }) => `${failure?.boundary} ${failure?.code}`);

/** The environment of the tests with one of its parts replaced. */
function broken(change: Partial<Environment>): ReadonlyMap<string, TrainEnvironment> {
  const { environment } = env;
  const made: Environment = {
    kind: "hone/environment",
    info: environment.info,
    tasks: (split) => environment.tasks(split),
    rollout: (request) => environment.rollout(request),
    score: (request) => environment.score(request),
    ...change,
  };
  return new Map([["a", { ...env, environment: made }]]);
}

test("an environment that throws fails its rollouts, a bounded number of times, and every one of them is on record", async () => {
  const environments = broken({
    rollout: () => {
      throw new TypeError("no such file");
    },
  });
  const { runner: made, recorded } = runner(coin, { environments });
  const group = await runGroup(made, ticket, 0, signal);
  expect(group).toMatchObject({ attempt: 2, isShort: true, rollouts: [] });
  expect(new Set(failures(group))).toEqual(new Set(["environment TypeError"]));
  expect(recorded).toHaveLength(12);
  expect(recorded.map(({ id }) => id).toSorted()).toEqual(
    [...group.failed, ...group.lost].map(({ id }) => id).toSorted(),
  );
});

test("nonsense from an environment or an engine is a failure with its boundary", async () => {
  const spoilt = async (spoil: (rollout: Rollout) => Rollout) => {
    const rollout: Environment["rollout"] = async (request) => spoil(await env.environment.rollout(request));
    return failures(await runGroup(runner(coin, { environments: broken({ rollout }) }).runner, ticket, 0, signal))[0];
  };
  const withReward = (reward: number | null) => (rollout: Rollout) => ({
    ...rollout,
    agents: rollout.agents.map((agent) => ({ ...agent, reward })),
  });
  const withTokens = (change: (tokens: NodeTokens) => object) => (rollout: Rollout) => ({
    ...rollout,
    nodes: rollout.nodes.map((node) =>
      node.tokens === undefined ? node : { ...node, tokens: { ...node.tokens, ...change(node.tokens) } },
    ),
  });
  expect(await spoilt(withReward(Number.NaN))).toBe("reward bad-reward");
  expect(await spoilt(withReward(null))).toBe("reward no-reward");
  expect(await spoilt(withTokens(({ logprobs }) => ({ logprobs: logprobs.fill(Number.NaN) })))).toBe(
    "model bad-tokens",
  );
  expect(await spoilt(withTokens(() => ({ policyVersion: { values: [], lengths: [] } })))).toBe("model bad-tokens");
  expect(await spoilt(withTokens(({ ids }) => ({ ids: ids.slice(0, 1) })))).toBe("model bad-tokens");
  const bare = (rollout: Rollout) => ({ ...rollout, nodes: rollout.nodes.map(({ tokens: _, ...node }) => node) });
  expect(await spoilt(bare)).toBe("model no-tokens");
});

test("a rollout that hangs fails at the part that does not answer, with what it said so far; the others go on", async () => {
  let nowMs = 0;
  const activity = new Activity(() => nowMs);
  let calls = 0;
  const model: Model = {
    name: "m",
    complete: (...request) => (calls++ === 1 ? new Promise(() => undefined) : coin.complete(...request)),
  };
  const { runner: made, recorded } = runner(model, { activity });
  const running = runGroup(made, ticket, 0, signal);
  await new Promise((resolve) => setTimeout(resolve, 5));
  nowMs = 3_600_001;
  activity.expire(3_600_000);
  const group = await running;
  expect(group).toMatchObject({ attempt: 0, isShort: false, rollouts: [{}, {}, {}] });
  expect(failures(group)).toEqual(["model timeout"]);
  expect(group.failed[0]).toMatchObject({ stop: { type: "failed" }, nodes: [{ message: { content: "word0" } }] });
  expect(recorded).toHaveLength(4);
});

test("group rewards that fail or give back nonsense fail their rollouts at the reward", async () => {
  const info = { ...env.environment.info, comparesGroups: true };
  const compared = async (score: Environment["score"]) => {
    const { runner: made, recorded } = runner(coin, { environments: broken({ info, score }) });
    const group = await runGroup(made, ticket, 0, signal);
    expect(recorded).toHaveLength(12);
    return new Set(failures(group));
  };
  expect(await compared(() => Promise.reject(new Error("no judge")))).toEqual(new Set(["reward Error"]));
  expect(await compared(async ({ rollouts }) => rollouts.slice(1))).toEqual(new Set(["reward bad-reward"]));
});

test("a state that cannot be written is a failure of the environment, not the end of the run", async () => {
  const recorded: Rollout[] = [];
  const record = async (rollout: Rollout) => {
    if (rollout.state !== null) throw new HoneError("rollout cannot be written: a cycle", { code: "bad-row" });
    recorded.push(rollout);
  };
  const group = await runGroup(runner(coin, { record }).runner, ticket, 0, signal);
  expect(new Set(failures(group))).toEqual(new Set(["environment bad-row"]));
  expect(recorded).toHaveLength(12);
  const full = () => Promise.reject(new HoneError("no space", { code: "disk" }));
  await expect(runGroup(runner(coin, { record: full }).runner, ticket, 0, signal)).rejects.toThrow("no space");
});

test("attempts that were retried are on record as well", async () => {
  let calls = 0;
  const shaky: Model = {
    name: "m",
    complete: (...request) =>
      calls++ === 0 ? Promise.reject(new ModelError("down", { code: "server" })) : coin.complete(...request),
  };
  const { runner: made, recorded } = runner(shaky, { retry: { attempts: 2, firstDelayMs: 1 } });
  const group = await runGroup(made, ticket, 0, signal);
  expect(group).toMatchObject({ attempt: 0, failed: [], lost: [{ id: "a-000007#0" }] });
  expect(group.rollouts.map(({ id }) => id)).toContain("a-000007#0~1");
  expect(recorded).toHaveLength(5);
});

test("between attempts at a group there is a pause where the failure may pass", async () => {
  const slept: number[] = [];
  const sleep = async (ms: number) => void slept.push(ms);
  const down: Model = { name: "m", complete: () => Promise.reject(new ModelError("down", { code: "server" })) };
  await runGroup(runner(down, { sleep }).runner, ticket, 0, signal);
  const refused: Model = { name: "m", complete: () => Promise.reject(new ModelError("no", { code: "unauthorized" })) };
  await runGroup(runner(refused, { sleep }).runner, ticket, 0, signal);
  expect(slept).toEqual([1000, 2000]);
});

test("a saved rollout of another task is not taken for this one's", async () => {
  const whole = await runGroup(runner(coin).runner, ticket, 0, signal);
  const saved = new Map(whole.rollouts.map((rollout) => [rollout.id, rollout]));
  const other: Ticket = { ...ticket, task: { id: "a-1", word: "word1" } as never };
  const { runner: resumed, recorded } = runner(coin, { saved });
  await runGroup(resumed, other, 0, signal);
  expect(recorded).toHaveLength(4);
});

test("a group that is cancelled gives back what had finished", async () => {
  const controller = new AbortController();
  let calls = 0;
  const model: Model = {
    name: "m",
    complete: (...request) => (calls++ < 2 ? coin.complete(...request) : new Promise(() => undefined)),
  };
  const { runner: made, recorded } = runner(model, { limiter: new Limiter(3) });
  const running = runGroup(made, ticket, 0, controller.signal);
  await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort();
  expect(await running).toMatchObject({ rollouts: [{}, {}], failed: [], lost: [] });
  expect(recorded).toHaveLength(2);
});
