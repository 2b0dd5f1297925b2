import { existsSync } from "node:fs";
import { mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { seedFrom } from "@hone/core";
import { isRun, readLock, readLog } from "@hone/store";
import { describe, expect, test } from "vitest";
import { evaluate } from "./evaluate.ts";
import {
  adder,
  addition,
  evaluated,
  rowsOf,
  type Sum,
  sums,
  temporaryDirectory,
  usuallyRight,
} from "./testing/environments.ts";
import { withMembers } from "./with-members.ts";

describe("an evaluation", () => {
  test("runs every task groupSize times and says how it went", async () => {
    const model = adder(({ a, b }) => (a % 2 === 0 ? String(a + b) : "no idea"));
    const { evaluation, rollouts } = await evaluated({ environment: addition(), model, groupSize: 2 });
    expect(evaluation).toMatchObject({
      env: "addition",
      model: "adder",
      directory: null,
      interrupted: false,
      tasks: 10,
      rollouts: 20,
      failed: 0,
      reward: { mean: 0.5, n: 20 },
      rewards: { correct: { mean: 0.5 } },
      metrics: { brief: { mean: 0.5 }, turns: { mean: 1 } },
      passThreshold: 0.5,
      passes: [
        { k: 1, any: 0.5, all: 0.5, tasks: 10 },
        { k: 2, any: 0.5, all: 0.5, tasks: 10 },
      ],
      stops: [{ stop: "answered", count: 20 }],
      errors: [],
    });
    expect(rollouts).toHaveLength(20);
    expect(evaluation.tokens.output.total).toBeGreaterThan(0);
  });

  test("has the same ids, seeds and numbers at concurrency 1 and 32, and when repeated", async () => {
    const delayed = adder((asked) => ({ content: usuallyRight(asked), delayMs: Math.floor(asked.chance * 4) }));
    const run = (concurrency: number) =>
      evaluated({ environment: addition(), model: delayed, groupSize: 4, concurrency, seed: 7 });
    const [one, many, again] = await Promise.all([run(1), run(32), run(32)]);
    const named = ({ rollouts }: typeof one) => rollouts.map(({ id, seed, agents }) => [id, seed, agents[0]?.reward]);
    expect(named(many)).toEqual(named(one));
    expect(named(again)).toEqual(named(one));
    expect({ ...many.evaluation, seconds: null }).toEqual({ ...one.evaluation, seconds: null });
    expect(one.evaluation.reward?.mean).toBeGreaterThan(0.5);
    expect(one.evaluation.reward?.mean).toBeLessThan(1);
  });

  test("names rollouts by environment, task and index", async () => {
    const environment = addition({ tasks: sums(1) });
    const { rollouts } = await evaluated({ environment, model: adder(usuallyRight), groupSize: 2, seed: 3 });
    expect(rollouts.map(({ id, group, index, attempt, seed }) => ({ id, group, index, attempt, seed }))).toEqual([
      {
        id: "addition:sum-000#0",
        group: "addition:sum-000",
        index: 0,
        attempt: 0,
        seed: seedFrom(3, "addition", "sum-000", 0),
      },
      {
        id: "addition:sum-000#1",
        group: "addition:sum-000",
        index: 1,
        attempt: 0,
        seed: seedFrom(3, "addition", "sum-000", 1),
      },
    ]);
  });

  test("goes by its name and version in this run", async () => {
    const settings = { name: "adding", version: "1.2.0" };
    const { evaluation, rollouts } = await evaluated({
      environment: addition(),
      model: adder(usuallyRight),
      settings,
      numTasks: 1,
    });
    expect(evaluation).toMatchObject({ env: "adding", envVersion: "1.2.0" });
    expect(rollouts[0]).toMatchObject({ id: "adding:sum-000#0", env: "adding", envVersion: "1.2.0" });
  });

  test("keeps at most the asked number of rollouts under way", async () => {
    let running = 0;
    let most = 0;
    const model = adder(() => "");
    const counting = {
      ...model,
      complete: async (...call: Parameters<typeof model.complete>) => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 1));
        running--;
        return model.complete(...call);
      },
    };
    await evaluate({ environment: addition(), model: counting, groupSize: 3, concurrency: 4 });
    expect(most).toBe(4);
  });
});

describe("stopping", () => {
  test("keeps what is finished, drops what was cancelled and says that it was interrupted", async () => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "eval");
    const controller = new AbortController();
    const model = adder(({ a, b }) => ({ content: String(a + b), delayMs: a < 4 ? 0 : 60_000 }));
    const evaluation = await evaluate({
      environment: addition(),
      model,
      concurrency: 3,
      directory,
      signal: controller.signal,
      onProgress: ({ done }) => done === 4 && controller.abort(),
    });
    expect(evaluation).toMatchObject({
      interrupted: true,
      rollouts: 4,
      failed: 0,
      stops: [{ stop: "answered", count: 4 }],
    });
    expect(await rowsOf(directory)).toHaveLength(4);
    expect(existsSync(join(directory, "evals.jsonl"))).toBe(false);
    expect(await readLock(directory)).toBeUndefined();
  });

  test("does not wait for ever for a rollout that ignores the signal", async () => {
    const controller = new AbortController();
    const inner = addition({ tasks: sums(1) });
    const environment = withMembers(inner, {
      rollout: () => {
        controller.abort();
        return new Promise(() => undefined);
      },
    });
    const evaluation = await evaluate({
      environment,
      model: adder(usuallyRight),
      graceMs: 5,
      signal: controller.signal,
    });
    expect(evaluation).toMatchObject({ interrupted: true, rollouts: 0 });
  });

  test("before it began runs nothing", async () => {
    const evaluation = await evaluate({
      environment: addition(),
      model: adder(usuallyRight),
      signal: AbortSignal.abort(),
    });
    expect(evaluation).toMatchObject({ interrupted: true, rollouts: 0, reward: null });
  });
});

describe("on disk", () => {
  test("an evaluation is a run directory with one row in evals.jsonl", async () => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "eval");
    const config = { id: "./addition", args: { carry: true } };
    const evaluation = await evaluate({
      environment: addition(),
      model: adder(usuallyRight),
      groupSize: 2,
      directory,
      config,
    });
    expect(await isRun(directory)).toBe(true);
    const toml = await readFile(join(directory, "run.toml"), "utf8");
    expect(toml).toContain('env = "addition"');
    expect(toml).toContain("group_size = 2");
    expect(toml).toContain("carry = true");
    const rows = [];
    for await (const { value } of readLog(join(directory, "evals.jsonl"))) rows.push(value);
    expect(rows).toEqual([
      expect.objectContaining({
        step: 0,
        env: "addition",
        model: "adder",
        n: 20,
        "reward/mean": evaluation.reward?.mean,
        "reward/ci95": evaluation.reward?.ci95,
      }),
    ]);
    const tasks = [];
    for await (const { value } of readLog(join(directory, "tasks.jsonl"))) tasks.push(value);
    expect(tasks).toHaveLength(10);
    const events = [];
    for await (const { value } of readLog(join(directory, "events.jsonl")))
      events.push((value as { type: string }).type);
    expect(events).toEqual(["evaluation-start", "evaluation-end"]);
  });

  test("two evaluations cannot write to one directory", async () => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "eval");
    let second: Promise<unknown> | undefined;
    const model = adder(usuallyRight);
    const options = { environment: addition(), model, directory };
    await evaluate({
      ...options,
      onRollout: () => void (second ??= evaluate({ ...options, resume: true }).catch((error: unknown) => error)),
    });
    expect(await second).toMatchObject({ code: "locked" });
    await expect(evaluate(options)).rejects.toMatchObject({ code: "run-exists" });
  });

  test("a task source that breaks keeps what was finished, and resuming goes on from there", async () => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "eval");
    let isBroken = true;
    const tasks = function* (): Generator<Sum> {
      yield* sums(3);
      if (isBroken) throw new Error("row 4 is malformed");
      yield* sums(5).slice(3);
    };
    const options = { environment: addition({ tasks }), model: adder(usuallyRight), directory };
    await expect(evaluate(options)).rejects.toThrow("row 4 is malformed");
    expect(await rowsOf(directory)).toHaveLength(3);
    isBroken = false;
    expect(await evaluate({ ...options, resume: true })).toMatchObject({ rollouts: 5, interrupted: false });
  });

  test.skipIf(!existsSync("/dev/full"))(
    "a full disk ends the evaluation with its reason, and frees the lock",
    async () => {
      await using folder = await temporaryDirectory();
      const directory = join(folder.path, "eval");
      await mkdir(join(directory, "rollouts"), { recursive: true });
      await symlink("/dev/full", join(directory, "rollouts", "000000.jsonl"));
      const model = adder(({ a }) => ({ content: "?", delayMs: a === 0 ? 0 : 60_000 }));
      const options = { environment: addition(), model, concurrency: 3, directory };
      await expect(evaluate(options)).rejects.toMatchObject({
        code: "disk",
        message: expect.stringContaining("ENOSPC"),
      });
      expect(await readLock(directory)).toBeUndefined();
    },
  );
});
