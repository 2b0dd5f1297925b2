import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sampleRoot } from "../testing/sample-run.ts";
import { MetricTable } from "./metric-table.ts";

const whole = { points: 1000, from: 0, to: 1e9 };
const row = (step: number, value: unknown): string => `${JSON.stringify({ step, "reward/mean": value })}\n`;

test("only what was appended is read, and a torn last line waits for its end", async () => {
  await using root = await sampleRoot();
  const path = join(root.path, "updates.jsonl");
  const table = new MetricTable(root.path, path);
  await table.refresh();
  expect(table.rows).toBe(0);
  await writeFile(path, row(1, 0.5) + row(2, 0.75).slice(0, 10));
  await table.refresh();
  expect(table.rows).toBe(1);
  await appendFile(path, row(2, 0.75).slice(10));
  await table.refresh();
  expect(table.series(["reward/mean"], whole)).toEqual({
    steps: [1, 2],
    values: { "reward/mean": [0.5, 0.75] },
    rows: 2,
  });
});

test("a run that went on from an earlier checkpoint takes back the steps after it", async () => {
  await using root = await sampleRoot();
  const path = join(root.path, "updates.jsonl");
  await writeFile(path, row(1, 0.1) + row(2, 0.2) + row(3, 0.3) + row(2, 0.9));
  const table = new MetricTable(root.path, path);
  await table.refresh();
  expect(table.series(["reward/mean"], whole).values).toEqual({ "reward/mean": [0.1, 0.9] });
  expect(table.lastStep).toBe(2);
});

test("values that are not finite are gaps, and keys that come later start later", async () => {
  await using root = await sampleRoot();
  const path = join(root.path, "updates.jsonl");
  await writeFile(path, `${row(1, "NaN")}${JSON.stringify({ step: 2, late: 3 })}\n{"broken"\n[1]\n`);
  const table = new MetricTable(root.path, path);
  await table.refresh();
  expect(table.series(["reward/mean", "late", "unknown"], whole).values).toEqual({
    "reward/mean": [null, null],
    late: [null, 3],
  });
});

test("ten thousand steps become a few points, and a spike of one step is among them", async () => {
  await using root = await sampleRoot();
  const path = join(root.path, "updates.jsonl");
  await writeFile(path, Array.from({ length: 10_000 }, (_, step) => row(step, step === 4321 ? 99 : 0.5)).join(""));
  const table = new MetricTable(root.path, path);
  await table.refresh();
  const { steps, values, rows } = table.series(["reward/mean"], { ...whole, points: 200 });
  expect(rows).toBe(10_000);
  expect(steps.length).toBe(199);
  expect(values["reward/mean"]).toHaveLength(199);
  expect(values["reward/mean"]).toContain(99);
  expect([steps[0], steps.at(-1)]).toEqual([0, 9999]);
  expect(table.series(["reward/mean"], { points: 200, from: 4320, to: 4322 }).steps).toEqual([4320, 4321, 4322]);
});

test("a file that was replaced is read anew", async () => {
  await using root = await sampleRoot();
  const path = join(root.path, "updates.jsonl");
  await writeFile(path, row(1, 1) + row(2, 1) + row(3, 1));
  const table = new MetricTable(root.path, path);
  await table.refresh();
  await writeFile(path, row(1, 5));
  await table.refresh();
  expect(table.series(["reward/mean"], whole).values).toEqual({ "reward/mean": [5] });
});

test("histograms are kept beside the columns, and long runs are added up", async () => {
  await using root = await sampleRoot();
  const path = join(root.path, "updates.jsonl");
  const rows = Array.from({ length: 100 }, (_, at) =>
    JSON.stringify({ step: at + 1, x: 1, "reward/a/histogram": [1, 2] }),
  );
  await writeFile(path, `${rows.join("\n")}\n`);
  const table = new MetricTable(root.path, path);
  await table.refresh();
  expect([table.keys, table.histogramKeys]).toEqual([["x"], ["reward/a/histogram"]]);
  expect(table.histogram("reward/a/histogram", { ...whole, points: 4 })).toEqual({
    from: [1, 34, 67, 100],
    to: [33, 66, 99, 100],
    counts: [
      [33, 66],
      [33, 66],
      [33, 66],
      [1, 2],
    ],
  });
  expect(table.histogram("none", { ...whole, points: 4 }).counts).toEqual([[], [], [], []]);
});

test("smoothing of a long run starts from the mean of each stretch", async () => {
  await using root = await sampleRoot();
  const path = join(root.path, "updates.jsonl");
  await writeFile(path, Array.from({ length: 101 }, (_, step) => row(step, step % 10 === 0 ? 10 : 0)).join(""));
  const table = new MetricTable(root.path, path);
  await table.refresh();
  const { means } = table.series(["reward/mean"], { ...whole, points: 21, isSmoothed: true });
  expect(means?.["reward/mean"]).toEqual([...Array.from({ length: 20 }, () => 1), 10]);
  expect(table.series(["reward/mean"], { ...whole, isSmoothed: true }).means).toBeUndefined();
});
