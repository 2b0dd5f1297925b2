import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type MetricRow, openRun, requestStop, type TaskRow } from "@hone/store";
import { afterEach, expect, test } from "vitest";
import type { TrainOptions } from "./options.ts";
import { DifficultyConfig } from "./schedule/difficulty.ts";
import { lowerCase, toyOptions } from "./testing/toy-run.ts";
import { train } from "./train.ts";

const folders: string[] = [];
async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "hone-train-"));
  folders.push(made);
  return join(made, "run");
}
afterEach(async () => {
  for (const made of folders.splice(0)) await rm(made, { recursive: true });
});

async function updates(directory: string): Promise<MetricRow[]> {
  const rows: MetricRow[] = [];
  for await (const { value } of (await openRun(directory)).read("updates")) rows.push(value);
  return rows;
}
const rewards = async (directory: string) => (await updates(directory)).map((row) => row["reward/mean"] as number);

async function run(more: Partial<TrainOptions> = {}): Promise<string> {
  const directory = await folder();
  await train(toyOptions(directory, more));
  return directory;
}

test("reward goes up, every step has its row, its samples and its groups", async () => {
  const directory = await run();
  const curve = await rewards(directory);
  expect(curve).toHaveLength(16);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  expect(mean(curve.slice(-3))).toBeGreaterThan(mean(curve.slice(0, 3)) + 0.3);
  const groups: string[] = [];
  for await (const { value } of (await openRun(directory)).read("groups"))
    groups.push(`${value.step} ${value.outcome}`);
  expect(groups.filter((line) => line === "16 trained")).toHaveLength(6);
});

test("the control, with rewards shuffled within each group, learns nothing from the same rewards", async () => {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const checkpoint = { interval: 100, keep: 1, remove: async () => undefined };
  const directories = await Promise.all([1, 2, 3].map((seed) => run({ shuffleRewards: true, seed, checkpoint })));
  const gains = await Promise.all(
    directories.map(async (directory) => {
      const curve = await rewards(directory);
      return mean(curve.slice(-3)) - mean(curve.slice(0, 3));
    }),
  );
  // Pushed about at random a policy drifts, up or down; the real run above gains more than 0.3.
  expect(Math.abs(mean(gains))).toBeLessThan(0.12);
  expect(Math.max(...gains)).toBeLessThan(0.25);
}, 20_000);

test("the same seed gives the same run at any concurrency", async () => {
  const losses = async (concurrency: number) =>
    (await updates(await run({ concurrency, maxSteps: 4 }))).map((row) => row["update/loss"]);
  expect(await losses(1)).toEqual(await losses(16));
});

test("rollouts go on during updates with a lead, and none that is trained is too old", async () => {
  const directory = await run({ lead: 1 });
  const rows = await updates(directory);
  expect(rows).toHaveLength(16);
  expect(rows.at(-1)?.["reward/mean"]).toBeGreaterThan(0.4);
});

test("several environments are trained by their ratio and reported apart", async () => {
  const environments = [{ ...lowerCase("a", 20), ratio: 3 }, lowerCase("b", 20)];
  const rows = await updates(await run({ environments, maxSteps: 3 }));
  expect(Object.keys(rows[0] ?? {})).toEqual(
    expect.arrayContaining([
      ...["reward/a/mean", "reward/b/mean", "reward/a/lower", "reward/a/histogram", "rollout/b/turns"],
      ...[
        "rollout/a/failed",
        "rollout/failed/model",
        "rollout/truncated",
        "rollout/tokens_per_second",
        "task/a/no_signal",
      ],
      ...["sample/age/mean", "task/stale", "step/seconds", "rollout/seconds", "sample/seconds", "update/seconds"],
      ...["eval/seconds", "update/tokens_per_second"],
    ]),
  );
  expect(rows[0]).toMatchObject({ "task/a/trained": 5, "task/b/trained": 1 });
});

test("every task that was trained on is listed with how hard it was, and pools are counted every step", async () => {
  const difficulty = DifficultyConfig.parse({ easyThreshold: 0.3, hardThreshold: 0.05 });
  const directory = await run({ difficulty, maxSteps: 4 });
  const last = new Map<string, TaskRow["difficulty"]>();
  for await (const { value } of (await openRun(directory)).read("tasks")) last.set(value.task.id, value.difficulty);
  expect(last.size).toBe(24);
  const pools = [...last.values()].map((row) => row?.pool);
  for (const row of last.values()) {
    expect(row?.pool).toBe(row!.meanReward >= 0.3 ? "easy" : row!.meanReward <= 0.05 ? "hard" : "normal");
  }
  const row = (await updates(directory)).at(-1);
  const count = (pool: string) => pools.filter((one) => one === pool).length;
  expect(row).toMatchObject({ "task/lower/pool_easy": count("easy"), "task/lower/pool_hard": count("hard") });
  expect(row?.["task/lower/pool_normal"]).toBe(40 - count("easy") - count("hard"));
});

test("an evaluation that a kill cut short is made up for, and none is made twice", async () => {
  const directory = await folder();
  const seen: string[] = [];
  const evaluation = (life: number, dies: boolean): TrainOptions["evaluation"] => ({
    interval: 2,
    run: async (step) => {
      if (dies && step === 2) throw new Error("killed");
      seen.push(`${life}: ${step}`);
      return [{ step, env: "lower", "reward/mean": 0.5 }];
    },
  });
  const lives = [evaluation(1, true), evaluation(2, false), evaluation(3, false)].map((made) => ({
    maxSteps: 3,
    ...(made === undefined ? {} : { evaluation: made }),
  }));
  await expect(train(toyOptions(directory, lives[0]))).rejects.toThrow("killed");
  for (const life of lives.slice(1)) await train(toyOptions(directory, { ...life, resume: true }));
  expect(seen).toEqual(["1: 0", "2: 2", "2: 3"]);
});

test("evaluations run before the first update, at the interval and after the last, on a pinned policy", async () => {
  const seen: string[] = [];
  const evaluation = {
    interval: 2,
    run: async (step: number) => {
      seen.push(`${step}`);
      return [{ step, env: "lower", "reward/mean": 0.5 }];
    },
  };
  const directory = await run({ evaluation, maxSteps: 5 });
  expect(seen).toEqual(["0", "2", "4", "5"]);
  const rows: unknown[] = [];
  for await (const { value } of (await openRun(directory)).read("evals")) rows.push(value.step);
  expect(rows).toEqual([0, 2, 4, 5]);
});

test("a run asked to stop stops between two updates and can be resumed", async () => {
  const directory = await folder();
  let done = 0;
  const onEvent: TrainOptions["onEvent"] = (event) => {
    if (event.type === "update-end" && ++done === 3) void requestStop(directory);
  };
  const stopped = await train(toyOptions(directory, { onEvent }));
  expect(stopped.why).toBe("stopped");
  const result = await train(toyOptions(directory, { resume: true }));
  expect(result).toEqual({ step: 16, why: "done" });
  const whole = await run();
  expect((await updates(directory)).map((row) => row["update/loss"])).toEqual(
    (await updates(whole)).map((row) => row["update/loss"]),
  );
});

test("as many checkpoints are kept as the run says, also over a restart", async () => {
  const directory = await folder();
  const kept = () => readdir(join(directory, "weights"));
  const checkpoint = { ...toyOptions(directory).checkpoint, keep: 2 };
  await train(toyOptions(directory, { checkpoint, maxSteps: 4 }));
  expect(await kept()).toEqual(["000003", "000004"]);
  await train(toyOptions(directory, { checkpoint, maxSteps: 6, resume: true }));
  expect(await kept()).toEqual(["000005", "000006"]);
});

test("epochs end a run before its steps do", async () => {
  const directory = await folder();
  const result = await train(toyOptions(directory, { environments: [lowerCase("few", 12)], epochs: 1 }));
  expect(result).toEqual({ step: 2, why: "tasks-over" });
});

test("a gradient that is not finite is rejected: the policy stays, and the run goes on", async () => {
  const directory = await folder();
  const options = toyOptions(directory, { maxSteps: 3 });
  let rejections = 0;
  const { engine } = options;
  const flaky: typeof engine = {
    info: engine.info,
    sampler: (policy) => engine.sampler(policy),
    pressure: () => engine.pressure(),
    close: () => engine.close(),
    open: async (spec) => {
      const trainer = await engine.open(spec);
      return {
        forwardBackward: (samples, loss) => {
          const isBroken = rejections++ === 1;
          return trainer.forwardBackward(
            isBroken ? samples.map((s) => ({ ...s, advantage: s.advantage.fill(Number.NaN) })) : samples,
            loss,
          );
        },
        update: (step) => trainer.update(step),
        publish: () => trainer.publish(),
        save: (name) => trainer.save(name),
        export: (path) => trainer.export(path),
      };
    },
  };
  const events: string[] = [];
  const result = await train({ ...options, engine: flaky, onEvent: ({ type }) => events.push(type) });
  expect(result).toEqual({ step: 3, why: "done" });
  expect(events.filter((type) => type === "update-reject")).toHaveLength(1);
  const steps: number[] = [];
  for await (const { value } of (await openRun(directory)).read("groups")) steps.push(value.step);
  let rollouts = 0;
  for await (const _ of (await openRun(directory)).rollouts()) rollouts++;
  expect([steps.length, rollouts]).toEqual([4 * 6, 4 * 48]);
});

test("a run that has nothing more to learn stops and says so", async () => {
  const solved: TrainOptions["environments"][number] = lowerCase("solved", 20);
  const environment = {
    ...solved.environment,
    kind: "hone/environment" as const,
    info: { ...solved.environment.info, comparesGroups: true },
    tasks: (split: "train" | "eval" | "all") => solved.environment.tasks(split),
    rollout: (request: Parameters<typeof solved.environment.rollout>[0]) => solved.environment.rollout(request),
    score: async ({ rollouts }: Parameters<typeof solved.environment.score>[0]) =>
      rollouts.map((rollout) => ({ ...rollout, agents: rollout.agents.map((agent) => ({ ...agent, reward: 1 })) })),
  };
  await expect(run({ environments: [{ ...solved, environment }] })).rejects.toThrow(
    "Nothing to learn from a batch: within each group all rewards agree (mean reward: solved 1.00).",
  );
});
