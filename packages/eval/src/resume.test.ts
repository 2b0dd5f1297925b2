import { appendFile, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { evaluate } from "./evaluate.ts";
import type { EvaluateOptions } from "./plan.ts";
import {
  adder,
  addition,
  counted,
  rowsOf,
  sums,
  temporaryDirectory,
  timeless,
  usuallyRight,
} from "./testing/environments.ts";

/** Stops the evaluation after so many results. */
function stopAfter(results: number): Pick<EvaluateOptions, "signal" | "onRollout" | "concurrency"> {
  const controller = new AbortController();
  let left = results;
  return { concurrency: 1, signal: controller.signal, onRollout: () => --left === 0 && controller.abort() };
}

describe("resuming", () => {
  test("runs what is missing and nothing else, with the result of one uninterrupted run", async () => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "eval");
    const { environment, asked } = counted(addition());
    const options = { environment, model: adder(usuallyRight), groupSize: 3, directory };
    expect(await evaluate({ ...options, ...stopAfter(10) })).toMatchObject({ interrupted: true, rollouts: 10 });
    const finished = (await rowsOf(directory)).map(({ id }) => id);
    asked.length = 0;
    const resumed = await evaluate({ ...options, resume: true });
    expect(asked).toHaveLength(20);
    expect(asked.filter((id) => (finished as string[]).includes(id))).toEqual([]);
    expect(new Set((await rowsOf(directory)).map(({ id }) => id)).size).toBe(30);
    const whole = await evaluate({ ...options, directory: join(folder.path, "whole") });
    expect(timeless(resumed)).toEqual(timeless(whole));
  });

  test("of a finished evaluation runs nothing and says the same", async () => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "eval");
    const { environment, asked } = counted(addition());
    const options = { environment, model: adder(usuallyRight), directory };
    const first = await evaluate(options);
    asked.length = 0;
    const second = await evaluate({ ...options, resume: true });
    expect(asked).toEqual([]);
    expect(second).toEqual(first);
    expect((await readFile(join(directory, "evals.jsonl"), "utf8")).trim().split("\n")).toHaveLength(1);
  });

  test("starts where nothing is yet", async () => {
    await using folder = await temporaryDirectory();
    const evaluation = await evaluate({
      environment: addition(),
      model: adder(usuallyRight),
      directory: join(folder.path, "new"),
      resume: true,
    });
    expect(evaluation).toMatchObject({ rollouts: 10, interrupted: false });
  });

  test("drops a torn last row and runs that rollout again", async () => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "eval");
    const { environment, asked } = counted(addition());
    const options = { environment, model: adder(usuallyRight), directory, concurrency: 1 };
    const first = await evaluate(options);
    const file = join(directory, "rollouts", "000000.jsonl");
    const { length } = await readFile(file);
    await truncate(file, length - 40);
    asked.length = 0;
    expect(timeless(await evaluate({ ...options, resume: true }))).toEqual(timeless(first));
    expect(asked).toEqual(["addition:sum-009#0"]);
  });

  test("runs a rollout again whose row was garbled, and notes where", async () => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "eval");
    const { environment, asked } = counted(addition());
    const options = { environment, model: adder(usuallyRight), directory, concurrency: 1 };
    await evaluate(options);
    const file = join(directory, "rollouts", "000000.jsonl");
    const lines = (await readFile(file, "utf8")).split("\n");
    await writeFile(file, lines.with(2, "garbage").join("\n"));
    asked.length = 0;
    const { notes } = await evaluate({ ...options, resume: true });
    expect(asked).toEqual(["addition:sum-002#0"]);
    expect(notes).toEqual([expect.stringContaining("000000.jsonl:3 cannot be read")]);
  });

  test("runs failed rollouts again: the later attempt supersedes, successful ones are never repeated", async () => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "eval");
    const { environment, asked } = counted(addition());
    const failing = adder(({ a, b }) => (a === 3 ? { fail: { code: "server", message: "down" } } : String(a + b)));
    const options = { environment, model: failing, directory, groupSize: 2 };
    expect(await evaluate(options)).toMatchObject({ rollouts: 20, failed: 2 });
    asked.length = 0;
    expect(await evaluate({ ...options, resume: true })).toMatchObject({ rollouts: 20, failed: 2 });
    expect(asked.sort()).toEqual(["addition:sum-003#0~1", "addition:sum-003#1~1"]);
    const healed = await evaluate({ ...options, model: adder(({ a, b }) => String(a + b)), resume: true });
    expect(healed).toMatchObject({ rollouts: 20, failed: 0, errors: [], reward: { mean: 1, n: 20 } });
    const attempts = (await rowsOf(directory))
      .filter(({ taskId }) => taskId === "sum-003")
      .map(({ attempt }) => attempt);
    expect(attempts.sort((a, b) => a - b)).toEqual([0, 0, 1, 1, 2, 2]);
  });

  test("may ask for more tasks, not for fewer", async () => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "eval");
    const { environment, asked } = counted(addition());
    const options = { environment, model: adder(usuallyRight), directory };
    await evaluate({ ...options, numTasks: 4 });
    asked.length = 0;
    expect(await evaluate({ ...options, numTasks: 6, resume: true })).toMatchObject({ tasks: 6 });
    expect(asked.sort()).toEqual(["addition:sum-004#0", "addition:sum-005#0"]);
    await expect(evaluate({ ...options, numTasks: 5, resume: true })).rejects.toThrow("num_tasks was 6 and is now 5");
    expect(await evaluate({ ...options, resume: true })).toMatchObject({ tasks: 10 });
    await expect(evaluate({ ...options, numTasks: 9, resume: true })).rejects.toThrow(
      'num_tasks was "all" and is now 9',
    );
  });

  test("with other settings is refused, with the first key that differs and both values", async () => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "eval");
    const environment = addition();
    const base = { environment, model: adder(usuallyRight), directory, config: { args: { level: "easy" } } };
    await evaluate(base);
    const again = (changed: Partial<EvaluateOptions>) => evaluate({ ...base, ...changed, resume: true });
    await expect(again({ groupSize: 4 })).rejects.toThrow("group_size was 1 and is now 4");
    await expect(again({ seed: 9 })).rejects.toThrow("seed was 0 and is now 9");
    await expect(again({ split: "eval" })).rejects.toThrow('split was "all" and is now "eval"');
    await expect(again({ sampling: { maxTokens: 5 } })).rejects.toThrow("sampling.max_tokens was not set and is now 5");
    await expect(again({ settings: { version: "2.0.0" } })).rejects.toThrow('version was "0.0.0" and is now "2.0.0"');
    await expect(again({ settings: { limits: { turns: 2 } } })).rejects.toThrow("settings.limits.turns");
    await expect(again({ model: adder(usuallyRight, "other") })).rejects.toThrow(
      'model was "adder" and is now "other"',
    );
    await expect(again({ config: { args: { level: "hard" } } })).rejects.toMatchObject({
      code: "resume-mismatch",
      message: expect.stringContaining('config.args.level was "easy" and is now "hard"'),
    });
    await expect(again({ config: { args: { level: "easy", apiKey: "sk-1" } } })).rejects.toThrow("now (hidden)");
    await expect(again({ environment: addition({ name: "subtraction" }) })).rejects.toThrow('env was "addition"');
    expect(await again({ passThreshold: 0.9 })).toMatchObject({ passThreshold: 0.9 });
  });

  test("notices that a task has changed under its id", async () => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "eval");
    const model = adder(usuallyRight);
    await evaluate({ environment: addition(), model, directory });
    const tasks = sums(10).map((task) => (task.id === "sum-004" ? { ...task, a: 99 } : task));
    await expect(evaluate({ environment: addition({ tasks }), model, directory, resume: true })).rejects.toThrow(
      "Task sum-004 of addition has changed",
    );
  });
});

test("a line that a killed writer left half done does not join the next row", async () => {
  await using folder = await temporaryDirectory();
  const directory = join(folder.path, "eval");
  const options = { environment: addition(), model: adder(usuallyRight), directory };
  await evaluate({ ...options, numTasks: 3 });
  await appendFile(join(directory, "rollouts", "000000.jsonl"), '{"id":"half');
  await appendFile(join(directory, "tasks.jsonl"), '{"env":"add');
  await evaluate({ ...options, resume: true });
  expect(await rowsOf(directory)).toHaveLength(10);
  expect(
    (await readFile(join(directory, "tasks.jsonl"), "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toHaveLength(10);
});
