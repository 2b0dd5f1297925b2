import { readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { Rollout } from "@hone/core";
import { describe, expect, test } from "vitest";
import { evaluate } from "./evaluate.ts";
import {
  adder,
  type Asked,
  comparedAddition,
  counted,
  rowsOf,
  sums,
  temporaryDirectory,
  timeless,
} from "./testing/environments.ts";
import { withMembers } from "./with-members.ts";

describe("rewards that compare", () => {
  const padded = ({ a, b, chance }: Asked): string => " ".repeat(Math.floor(chance * 3)) + String(a + b);
  const scores = (rows: readonly Rollout[]) => new Map(rows.map(({ id, agents }) => [id, agents[0]?.rewards]));

  test("are added when the group is complete, and its rows are written together", async () => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "eval");
    const evaluation = await evaluate({
      environment: comparedAddition(),
      model: adder(padded),
      groupSize: 4,
      directory,
    });
    const rows = await rowsOf(directory);
    expect(rows).toHaveLength(16);
    for (const { agents } of rows) expect(Object.keys(agents[0]?.rewards ?? {})).toEqual(["correct", "shortest"]);
    expect(rows.map(({ group }) => group)).toEqual(rows.map(({ group }) => group).sort());
    expect(evaluation.rewards).toMatchObject({ correct: { mean: 1 } });
    expect(evaluation.rewards["shortest"]?.mean).toBeGreaterThanOrEqual(0.25);
    expect(evaluation.reward?.mean).toBeCloseTo(1 + (evaluation.rewards["shortest"]?.mean ?? 0) / 2, 12);
  });

  test("are no result before the comparison: an interrupted group is run again as a whole", async () => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "eval");
    const { environment, asked } = counted(comparedAddition());
    const options = { environment, model: adder(padded), groupSize: 4, directory };
    const controller = new AbortController();
    const stopping = withMembers(environment, {
      rollout: (request) => {
        if (asked.length === 6) controller.abort();
        return environment.rollout(request);
      },
    });
    await evaluate({ ...options, environment: stopping, concurrency: 1, signal: controller.signal });
    expect(await rowsOf(directory)).toHaveLength(4);
    asked.length = 0;
    const resumed = await evaluate({ ...options, resume: true });
    expect(asked).toHaveLength(12);
    const whole = await evaluate({ ...options, directory: join(folder.path, "whole") });
    expect(timeless(resumed)).toEqual(timeless(whole));
    expect(scores(await rowsOf(directory))).toEqual(scores(await rowsOf(join(folder.path, "whole"))));
  });

  test("see the saved rollouts of a group that was torn, and only the missing one is run again", async () => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "eval");
    const { environment, asked } = counted(comparedAddition());
    const options = { environment, model: adder(padded), groupSize: 4, directory, concurrency: 1 };
    const first = await evaluate(options);
    const before = scores(await rowsOf(directory));
    const file = join(directory, "rollouts", "000000.jsonl");
    await truncate(file, (await readFile(file)).length - 40);
    asked.length = 0;
    expect(timeless(await evaluate({ ...options, resume: true }))).toEqual(timeless(first));
    expect(asked).toHaveLength(1);
    expect(scores(await rowsOf(directory))).toEqual(before);
  });

  test("are taken again over the whole group when a failed rollout is made good", async () => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "eval");
    const { environment, asked } = counted(comparedAddition({ tasks: sums(1) }));
    // The one that fails at first is the shortest once it answers.
    const model = (isUp: boolean) =>
      adder(({ a, b, chance }) => {
        if (chance > 0.9) return isUp ? String(a + b) : { fail: { code: "server", message: "down" } };
        return ` ${a + b}`;
      });
    const options = { environment, groupSize: 16, directory, seed: 2 };
    const first = await evaluate({ ...options, model: model(false) });
    expect(first.failed).toBeGreaterThan(0);
    expect(first.rewards["shortest"]?.mean).toBe(1);
    asked.length = 0;
    const second = await evaluate({ ...options, model: model(true), resume: true });
    expect(asked).toHaveLength(first.failed);
    expect(second).toMatchObject({ rollouts: 16, failed: 0, rewards: { shortest: { mean: first.failed / 16 } } });
    expect(timeless(await evaluate({ ...options, model: model(true), resume: true }))).toEqual(timeless(second));
  });

  test("that throw fail the rollouts of that group at the boundary reward", async () => {
    const inner = comparedAddition();
    const environment = withMembers(inner, {
      score: (request) => {
        if (request.task.id === "sum-001") throw new Error("cannot compare");
        return inner.score(request);
      },
    });
    const evaluation = await evaluate({ environment, model: adder(padded), groupSize: 2 });
    expect(evaluation).toMatchObject({
      rollouts: 8,
      failed: 2,
      errors: [{ boundary: "reward", count: 2, message: "cannot compare" }],
    });
  });
});
