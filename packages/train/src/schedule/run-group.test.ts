import { type Model, ModelError, type Rollout, type RolloutId } from "@hone/core";
import { scriptedModel } from "@hone/core/testing";
import { defineEnvironment } from "@hone/env";
import { expect, test } from "vitest";
import type { Ticket } from "../nouns.ts";
import { wordsEnvironment } from "../testing/words.ts";
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
    resources: () => ({ model, models: () => model, sandboxes: undefined as never }),
    limiter: new Limiter(8),
    seed: 1,
    retry: { attempts: 1 },
    record: async (rollout) => void recorded.push(rollout),
    saved: new Map(),
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
