import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GoldOf } from "@hone/env";
import { openRun, type TaskRow } from "@hone/store";
import { expect, onTestFinished, test } from "vitest";
import type { TrainOptions } from "../options.ts";
import { lowerCase, toyOptions } from "../testing/toy-run.ts";
import { train } from "../train.ts";

async function run(more: Partial<TrainOptions>): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "hone-gold-"));
  onTestFinished(() => rm(made, { recursive: true }));
  const directory = join(made, "run");
  await train(toyOptions(directory, { maxSteps: 2, ...more }));
  return directory;
}
async function rowsOf(directory: string): Promise<TaskRow[]> {
  const rows: TaskRow[] = [];
  for await (const { value } of (await openRun(directory)).read("tasks")) rows.push(value);
  return rows;
}
const tasksOf = (directory: string) => readFile(join(directory, "tasks.jsonl"), "utf8");

test("a run keeps the computed gold replies of the tasks it used, in every row of theirs", async () => {
  const rows = await rowsOf(await run({ environments: [lowerCase("few", 6)] }));
  expect(rows).toHaveLength(12);
  for (const row of rows) expect(row).toMatchObject({ gold: ["task"], difficulty: { step: expect.any(Number) } });
});

test("gold is asked for once for each row, not for each rollout, and by environment", async () => {
  const asked: string[] = [];
  const goldOf: GoldOf = ({ id }) => {
    asked.push(id);
    return [`of ${id}`];
  };
  const directory = await run({ environments: [{ ...lowerCase("a", 20), goldOf }, lowerCase("b", 20)] });
  const rows = await rowsOf(directory);
  for (const { env, task, gold } of rows) expect(gold).toEqual([env === "a" ? `of ${task.id}` : "task"]);
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.sort()).toEqual(rows.flatMap(({ env, task }) => (env === "a" ? [task.id] : [])).sort());
});

test("a gold that throws, or gives no strings, changes nothing of a run", async () => {
  const plain = await run({ environments: [{ ...lowerCase("lower", 40), goldOf: () => undefined }] });
  expect(await tasksOf(plain)).not.toContain("gold");
  const broken: GoldOf[] = [
    () => {
      throw new Error("no such answer");
    },
    (async () => Promise.reject(new Error("no such answer"))) as unknown as GoldOf,
    (() => 3) as unknown as GoldOf,
    (task) => [Object.assign(task, { text: "changed" }).text.repeat(10_000)],
  ];
  for (const goldOf of broken) {
    const directory = await run({ environments: [{ ...lowerCase("lower", 40), goldOf }] });
    expect(await tasksOf(directory)).toBe(await tasksOf(plain));
  }
});
