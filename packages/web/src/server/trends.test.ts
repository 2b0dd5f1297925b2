import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sampleRollout, sampleRoot, sampleRun, writeRollouts } from "../testing/sample-run.ts";
import { flatConfig } from "./flat-config.ts";
import { TaskRanks } from "./rank-tasks.ts";
import { RolloutIndex } from "./rollout-index.ts";
import { TrendTable } from "./rollout-trends.ts";
import { RunViews } from "./run-views.ts";

const whole = { points: 100, from: 0, to: 1e9 };

test("lengths, stops and their shares are counted step by step from the rollouts", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  const of = (id: string, turns: number, type: "answered" | "cut"): ReturnType<typeof sampleRollout> =>
    sampleRollout({
      id,
      messages: Array.from({ length: turns }, () => ({ role: "assistant", content: "hm" }) as const),
      change: { stop: type === "cut" ? { type: "limit", of: "turns" } : { type: "answered" } },
    });
  await writeRollouts(run, 1, [of("a#0", 1, "answered"), of("a#1", 2, "answered"), of("a#2", 3, "cut")]);
  await writeRollouts(run, 2, [of("b#0", 4, "cut")]);
  const index = new RolloutIndex(run.directory, Date.now);
  await index.refresh();
  const table = new TrendTable();
  const { steps, measures, stops } = await table.trends(index, whole);
  expect(steps).toEqual([1, 2]);
  expect(measures.turns.middle).toEqual([2, 4]);
  expect(measures.turns.low[0]).toBeCloseTo(1.2);
  expect(measures.turns.high[0]).toBeCloseTo(2.8);
  expect(stops["answered"]?.map((share) => share.toFixed(6))).toEqual(["0.666667", "0.000000"]);
  expect(stops["limit turns"]).toEqual([1 / 3, 1]);
  expect((await table.trends(index, { ...whole, from: 2 })).steps).toEqual([2]);
});

test("tasks are ranked by reward, with the share that was solved and how that changed", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  await writeRollouts(run, 1, [
    sampleRollout({ id: "hard#0", reward: 0 }),
    sampleRollout({ id: "hard#1", reward: 0.5 }),
    sampleRollout({ id: "easy#0", reward: 1 }),
    sampleRollout({ id: "unscored#0", reward: null }),
  ]);
  const index = new RolloutIndex(run.directory, Date.now);
  await index.refresh();
  const { hardest, easiest, total, solveRates } = new TaskRanks().page(index, 5);
  expect(hardest).toEqual([
    { env: "words", taskId: "task of hard", rollouts: 2, reward: 0.25, solved: 0.5, trend: [0, 0.5] },
  ]);
  expect(easiest.map(({ taskId, solved }) => [taskId, solved])).toEqual([["task of easy", 1]]);
  expect(total).toBe(3);
  expect(solveRates).toEqual([0, 0, 0, 0, 0, 1, 0, 0, 0, 1]);
});

test("plain values of a configuration are found by their path", () => {
  const toml = [
    'model = "a # b" # the base',
    "seed = 1_000",
    "[optimizer]",
    "learning_rate = 1e-5",
    "[[env]]",
    'id = "lower"',
    "[env.args]",
    "deep = true",
    "[[env]]",
    'id = "upper"',
    'names = ["a", "b"]',
    "broken = [",
  ];
  expect(Object.fromEntries(flatConfig(toml.join("\n")))).toEqual({
    model: "a # b",
    seed: "1000",
    "optimizer.learning_rate": "1e-5",
    "env.0.id": "lower",
    "env.0.args.deep": "true",
    "env.1.id": "upper",
    "env.1.names": '["a", "b"]',
  });
});

test("a run that is fine-tuned has a loss and no reward, also before its first update", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "tuned");
  await writeFile(join(run.directory, "run.toml"), 'model = "toy"\n\n[[data]]\npath = "a.jsonl"\n');
  const views = new RunViews(root.path, Date.now);
  expect(await views.item("runs", "tuned")).toMatchObject({ isSft: true, loss: null, environments: [] });
  await run.append("updates", { step: 1, "update/loss": 2.5 });
  await run.append("evals", { step: 1, env: "held-out", "loss/mean": 2.4 });
  expect(await views.item("runs", "tuned")).toMatchObject({
    isSft: true,
    loss: 2.5,
    reward: null,
    environments: [],
    sparkline: [2.5],
  });
});

test("the line of a run in a list is read again only when its files changed", async () => {
  await using root = await sampleRoot();
  const run = await sampleRun(root, "a");
  await run.append("events", { type: "run-end", atMs: 1, detail: { why: "finished" } });
  await run.close();
  const views = new RunViews(root.path, Date.now);
  const first = await views.item("runs", "a");
  expect(first.state).toBe("finished");
  expect(await views.item("runs", "a")).toBe(first);
  await writeFile(join(run.directory, "updates.jsonl"), '{"step":7}\n');
  expect((await views.item("runs", "a")).step).toBe(7);
});
