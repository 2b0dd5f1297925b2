import type { GroupId, Rollout, RolloutId, Stop, TaskId } from "@hone/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { evaluationRow } from "./evaluation.ts";
import { type SummaryOptions, summarise, Summary } from "./summary.ts";

interface Given {
  readonly task: string;
  readonly index?: number;
  readonly reward?: number;
  readonly metrics?: Readonly<Record<string, number>>;
  readonly failed?: { readonly code: string; readonly message: string };
  readonly stop?: Stop;
  readonly seconds?: number;
  readonly costUsd?: number;
}

function rollout({
  task,
  index = 0,
  reward = 0,
  metrics = {},
  failed,
  stop = { type: "answered" },
  seconds = 1,
  costUsd,
}: Given): Rollout {
  const failure = failed && { boundary: "model" as const, isRetryable: false, ...failed };
  const usage = { inputTokens: 100, outputTokens: 10, ...(costUsd === undefined ? {} : { costUsd }) };
  return {
    id: `e:${task}#${index}` as RolloutId,
    group: `e:${task}` as GroupId,
    index,
    attempt: 0,
    seed: 0,
    env: "e",
    envVersion: "0.0.0",
    taskId: task as TaskId,
    taskHash: "0",
    agents: [
      {
        name: "agent",
        trainable: true,
        model: "m",
        reward: failed ? null : reward,
        rewards: failed ? {} : { only: { value: reward, weight: 1 } },
        metrics,
      },
    ],
    nodes: [],
    calls: [{ node: null, endpoint: "m", sampling: {}, usage, finish: "stop", startedAtMs: 0, durationMs: 1 }],
    state: null,
    stop: failed ? { type: "failed" } : stop,
    truncated: stop.type === "limit",
    ...(failure && { failure }),
    timing: { startedAtMs: 0, durationMs: seconds * 1000, setupMs: 0, modelMs: 0, scoringMs: 0 },
    info: {},
  };
}

const of = (given: readonly Given[], options: Partial<SummaryOptions> = {}) =>
  summarise(given.map(rollout), { env: "e", model: "m", ...options });

test("a later rollout of the same task and index supersedes the earlier one", async () => {
  const evaluation = await of([
    { task: "a", failed: { code: "server", message: "down" } },
    { task: "b", reward: 0 },
    { task: "a", reward: 1 },
  ]);
  expect(evaluation).toMatchObject({ rollouts: 2, failed: 0, errors: [], reward: { mean: 0.5, n: 2 } });
});

test("the order of the rollouts changes nothing, to the last digit", async () => {
  const given = Array.from({ length: 12 }, (_, at) => ({
    task: `t${at % 4}`,
    index: Math.floor(at / 4),
    reward: (at * 0.1) % 0.7,
    seconds: at / 7,
  }));
  const expected = await of(given);
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(given, { minLength: given.length }), async (shuffled) => {
      expect(await of(shuffled)).toEqual(expected);
    }),
    { numRuns: 20 },
  );
});

test("stops, truncation, errors and times are counted over all rollouts, failed ones too", async () => {
  const evaluation = await of([
    { task: "a", seconds: 1 },
    { task: "b", seconds: 2, stop: { type: "limit", of: "turns" } },
    { task: "c", seconds: 3, stop: { type: "ended", by: "won" } },
    { task: "e", seconds: 4, failed: { code: "timeout", message: "late" } },
    { task: "d", seconds: 90, failed: { code: "timeout", message: "first by id" } },
  ]);
  expect(evaluation).toMatchObject({
    tasks: 5,
    failed: 2,
    truncated: 0.2,
    stops: [
      { stop: "failed", count: 2 },
      { stop: "answered", count: 1 },
      { stop: "limit turns", count: 1 },
      { stop: "won", count: 1 },
    ],
    errors: [{ boundary: "model", code: "timeout", count: 2, message: "first by id" }],
    seconds: { mean: 20, p50: 3 },
    tokens: { input: { mean: 100, total: 500 }, output: { mean: 10, total: 50 } },
  });
  expect(evaluation.seconds?.p95).toBeCloseTo(4 + 0.8 * 86, 9);
});

test("a name that some rollouts lack is averaged over those that have it", async () => {
  const evaluation = await of([
    { task: "a", metrics: { tool_calls: 4 } },
    { task: "b" },
    { task: "c", metrics: { tool_calls: 2 } },
  ]);
  expect(evaluation.metrics).toMatchObject({ tool_calls: { mean: 3, n: 2 } });
});

test("pass@k counts a reward from the threshold on, over tasks with enough scored rollouts", async () => {
  const given: Given[] = [
    { task: "a", index: 0, reward: 0.5 },
    { task: "a", index: 1, reward: 0.4 },
    { task: "b", index: 0, reward: 1 },
    { task: "b", index: 1, failed: { code: "server", message: "down" } },
  ];
  expect((await of(given)).passes).toEqual([
    { k: 1, any: 0.75, all: 0.75, tasks: 2 },
    { k: 2, any: 1, all: 0, tasks: 1 },
  ]);
  expect((await of(given, { passThreshold: 0.6 })).passes[0]).toEqual({ k: 1, any: 0.5, all: 0.5, tasks: 2 });
});

test("the cost is what the calls say, or what the price makes of their tokens", async () => {
  expect((await of([{ task: "a" }])).cost).toBeNull();
  expect(
    (
      await of([
        { task: "a", costUsd: 0.25 },
        { task: "b", costUsd: 0.75 },
      ])
    ).cost,
  ).toEqual({ mean: 0.5, total: 1 });
  const price = { input: 2, output: 10 };
  expect((await of([{ task: "a" }, { task: "b", costUsd: 1 }], { price })).cost?.total).toBeCloseTo(
    1 + (100 * 2 + 10 * 10) / 1e6,
    12,
  );
});

test("nothing measured is nothing claimed", () => {
  const evaluation = new Summary({ env: "e", model: "m" }).evaluation();
  expect(evaluation).toMatchObject({
    tasks: 0,
    rollouts: 0,
    reward: null,
    rewards: {},
    passes: [],
    seconds: null,
    cost: null,
    truncated: 0,
  });
  expect(evaluationRow(evaluation)).toEqual({
    step: 0,
    env: "e",
    model: "m",
    n: 0,
    tasks: 0,
    failed: 0,
    "rollout/truncated": 0,
  });
});

test("the row of an evaluation is flat", async () => {
  const evaluation = await of([
    { task: "a", index: 0, reward: 1, metrics: { turns: 2 } },
    { task: "a", index: 1, reward: 0, metrics: { turns: 2 } },
    { task: "b", index: 0, reward: 1, metrics: { turns: 4 } },
    { task: "b", index: 1, reward: 1, metrics: { turns: 4 } },
  ]);
  expect(evaluationRow(evaluation, 12)).toEqual({
    step: 12,
    env: "e",
    model: "m",
    n: 4,
    tasks: 2,
    failed: 0,
    "reward/mean": 0.75,
    "reward/ci95": evaluation.reward?.ci95,
    "reward/only": 0.75,
    "rollout/turns": 3,
    "pass@1": 0.75,
    "pass^1": 0.75,
    "pass@2": 1,
    "pass^2": 0.5,
    "rollout/seconds": 1,
    "rollout/truncated": 0,
  });
});
