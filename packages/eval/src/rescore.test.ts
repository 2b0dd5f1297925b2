import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Model } from "@hone/core";
import { scriptedModel } from "@hone/core/testing";
import { defineEnvironment } from "@hone/env";
import { readRollouts } from "@hone/store";
import { expect, test } from "vitest";
import { evaluate } from "./evaluate.ts";
import { renderRescored } from "./render.ts";
import { rescore } from "./rescore.ts";
import { adder, addition, comparedAddition, type Sum, sums, temporaryDirectory } from "./testing/environments.ts";

const answer = adder(({ a, b }) => `${a + b} `);

/** The same tasks under a rubric that forgives a space, and may throw. */
function forgiving(throwOn?: string) {
  return defineEnvironment({
    name: "addition",
    tasks: sums(10),
    prompt: () => "",
    rewards: {
      correct: ({ reply, task }: { reply: string; task: Sum }) => {
        if (task.id === throwOn) throw new Error("no such answer");
        return reply.trim() === String(task.a + task.b);
      },
      length: { weight: 0.5, score: ({ reply }) => reply.length },
    },
  });
}

test("saved rollouts get new rewards in a new directory, and the old one stays", async () => {
  await using folder = await temporaryDirectory();
  const directory = join(folder.path, "eval");
  await evaluate({ environment: addition(), model: answer, groupSize: 2, directory });
  const before = await readFile(join(directory, "rollouts", "000000.jsonl"), "utf8");
  const progress: number[] = [];
  const rescored = await rescore({
    directory,
    environment: forgiving(),
    onProgress: ({ done, total }) => progress.push(done / total),
  });
  expect(rescored.before).toMatchObject({ directory, reward: { mean: 0 } });
  expect(rescored.after).toMatchObject({
    directory: `${directory}-rescored`,
    rollouts: 20,
    rewards: { correct: { mean: 1 } },
  });
  expect(rescored.changed).toBe(20);
  expect(progress.at(-1)).toBe(1);
  expect(await readFile(join(directory, "rollouts", "000000.jsonl"), "utf8")).toBe(before);
  let rows = 0;
  for await (const { agents, nodes } of readRollouts(`${directory}-rescored`)) {
    rows++;
    expect(Object.keys(agents[0]?.rewards ?? {})).toEqual(["correct", "length"]);
    expect(nodes.at(-1)?.tokens?.ids.length).toBeGreaterThan(0);
  }
  expect(rows).toBe(20);
  expect(renderRescored(rescored)).toContain("addition · adder · 20 rollouts scored again, 20 changed");
  expect((await rescore({ directory, environment: addition() })).after).toMatchObject({
    directory: `${directory}-rescored-2`,
    reward: { mean: 0 },
  });
});

test("rewards that compare see the whole group again", async () => {
  await using folder = await temporaryDirectory();
  const directory = join(folder.path, "eval");
  const environment = comparedAddition();
  const model = adder(({ a, b, chance }) => " ".repeat(Math.floor(chance * 3)) + String(a + b));
  const evaluation = await evaluate({ environment, model, groupSize: 4, directory });
  const rescored = await rescore({ directory, environment, concurrency: 2 });
  expect(rescored.changed).toBe(0);
  expect({ ...rescored.after, directory: null }).toEqual({ ...evaluation, directory: null });
});

test("a reward that throws fails the rollouts it threw on, and the others are scored", async () => {
  await using folder = await temporaryDirectory();
  const directory = join(folder.path, "eval");
  await evaluate({ environment: addition(), model: answer, groupSize: 2, directory });
  const { after } = await rescore({ directory, environment: forgiving("sum-003") });
  expect(after).toMatchObject({ rollouts: 20, failed: 2, rewards: { correct: { mean: 1, n: 18 } } });
  expect(after.errors).toEqual([expect.objectContaining({ boundary: "reward", count: 2 })]);
});

test("a judge is asked, the model under test is not", async () => {
  await using folder = await temporaryDirectory();
  const directory = join(folder.path, "eval");
  let calls = 0;
  const counting: Model = { ...answer, complete: (...call) => (calls++, answer.complete(...call)) };
  await evaluate({ environment: addition(), model: counting, directory, numTasks: 3 });
  const environment = defineEnvironment({
    name: "addition",
    tasks: sums(10),
    prompt: () => "",
    rewards: { good: { judge: "referee", prompt: ({ reply }) => `Is ${reply} good?` } },
  });
  const { after } = await rescore({
    directory,
    environment,
    models: () => scriptedModel(["yes"], { name: "referee" }),
  });
  expect(after).toMatchObject({ model: "adder", rewards: { good: { mean: 1, n: 3 } } });
  expect(calls).toBe(3);
});

test("rollouts that never got an answer stay failed", async () => {
  await using folder = await temporaryDirectory();
  const directory = join(folder.path, "eval");
  const failing = adder(({ a }) => (a === 0 ? { fail: { code: "server", message: "down" } } : "1"));
  await evaluate({ environment: addition(), model: failing, directory });
  expect((await rescore({ directory, environment: forgiving() })).after).toMatchObject({ rollouts: 10, failed: 1 });
});
