import { defineEnvironment, endless } from "@hone/env";
import { describe, expect, test } from "vitest";
import { evaluate } from "./evaluate.ts";
import { adder, addition, evaluated, sums, usuallyRight } from "./testing/environments.ts";

describe("the tasks", () => {
  test("are read lazily: an endless set is never run ahead of", async () => {
    let read = 0;
    const tasks = endless(function* () {
      for (;;) yield { id: `sum-${read++}`, a: read, b: 1 };
    });
    const environment = defineEnvironment({ name: "endless", tasks, prompt: () => "1 + 1", rewards: { any: () => 1 } });
    const most: number[] = [];
    const { evaluation } = await evaluated({
      environment,
      model: adder(() => ""),
      numTasks: 50,
      concurrency: 2,
      onProgress: ({ done }) => most.push(read - done),
    });
    expect(evaluation.tasks).toBe(50);
    expect(Math.max(...most)).toBeLessThanOrEqual(4);
  });

  test("that never end must be counted", async () => {
    const tasks = endless(function* () {
      for (;;) yield { a: 1, b: 1 };
    });
    const environment = defineEnvironment({ name: "endless", tasks, prompt: () => "1 + 1", rewards: { any: () => 1 } });
    await expect(evaluate({ environment, model: adder(usuallyRight) })).rejects.toThrow(
      "The tasks of endless never end",
    );
    const shuffled = evaluate({ environment, model: adder(usuallyRight), numTasks: 2, shuffle: true });
    await expect(shuffled).rejects.toThrow("cannot be shuffled");
  });

  test("are the held-out ones where the environment declares some", async () => {
    const held = [{ id: "held-out", a: 1, b: 1 }];
    const environment = defineEnvironment({
      name: "split",
      tasks: sums(3),
      evalTasks: held,
      prompt: () => "1 + 1",
      rewards: { any: () => 1 },
    });
    const ids = async (split?: "train" | "all") => {
      const { rollouts } = await evaluated({ environment, model: adder(usuallyRight), ...(split && { split }) });
      return rollouts.map(({ taskId }) => taskId);
    };
    expect(await ids()).toEqual(["held-out"]);
    expect(await ids("train")).toEqual(["sum-000", "sum-001", "sum-002"]);
  });

  test("are shuffled by the seed, and more of them keep the ones before", async () => {
    const ids = async (numTasks: number, seed: number) => {
      const { rollouts } = await evaluated({
        environment: addition(),
        model: adder(usuallyRight),
        numTasks,
        shuffle: true,
        seed,
      });
      return rollouts.map(({ taskId }) => taskId);
    };
    expect(await ids(5, 1)).toEqual(expect.arrayContaining(await ids(3, 1)));
    expect(await ids(3, 1)).not.toEqual(await ids(3, 2));
  });

  test("that appear twice are evaluated once, and that is said", async () => {
    const { evaluation } = await evaluated({
      environment: addition({ tasks: [...sums(2), ...sums(1)] }),
      model: adder(usuallyRight),
    });
    expect(evaluation).toMatchObject({
      tasks: 2,
      rollouts: 2,
      notes: ["Evaluated once, though it came up again: 1 task."],
    });
  });

  test("with one id and different fields are refused", async () => {
    const tasks = [...sums(1), { id: "sum-000", a: 5, b: 5 }];
    await expect(evaluate({ environment: addition({ tasks }), model: adder(usuallyRight) })).rejects.toThrow(
      "Two different tasks of addition have the id sum-000",
    );
  });
});

test("an option that makes no sense is refused before anything runs", async () => {
  const base = { environment: addition(), model: adder(usuallyRight) };
  await expect(evaluate({ ...base, groupSize: 0 })).rejects.toThrow("groupSize must be a whole number from 1, not 0.");
  await expect(evaluate({ ...base, concurrency: 1.5 })).rejects.toThrow("concurrency");
  await expect(evaluate({ ...base, numTasks: -1 })).rejects.toThrow("numTasks");
});
