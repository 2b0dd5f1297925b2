import { expect, test } from "vitest";
import type { RunDetail, RunPace } from "./api-types.ts";
import { layOut, named } from "./chart-data.ts";
import { withFeed } from "./live-detail.ts";
import { withCounts } from "./series.ts";

const plain = { smoothing: 0, isStacked: false, points: [] };

test("evaluations between two steps have a place of their own, and lines a gap there", () => {
  const lines = [{ label: "a", values: [1, 3], colour: 0 }];
  const points = [{ label: "eval", colour: 0, points: [{ step: 2, value: 9 }] }];
  const { x, drawn } = layOut({ ...plain, steps: [1, 3], lines, points });
  expect(x).toEqual([1, 2, 3]);
  expect(drawn.map(({ kind, values }) => [kind, values])).toEqual([
    ["line", [1, null, 3]],
    ["points", [null, 9, null]],
  ]);
});

test("what is stacked is drawn at its height and named by its own value, in the order given", () => {
  const lines = [
    { label: "low", values: [1, 2], colour: 0 },
    { label: "top", values: [3, null], colour: 1 },
  ];
  const { drawn } = layOut({ ...plain, steps: [1, 2], lines, isStacked: true });
  expect(drawn.map(({ label, height }) => [label, height])).toEqual([
    ["top", [4, 2]],
    ["low", [1, 2]],
  ]);
  expect(named(drawn).map(({ label, values }) => [label, values])).toEqual([
    ["low", [1, 2]],
    ["top", [3, null]],
  ]);
});

test("smoothing starts from means where there are any, and keeps what it was made from below it", () => {
  const lines = [{ label: "a", values: [0, 10], means: [5, 5], colour: 0 }];
  const { drawn } = layOut({ ...plain, steps: [1, 2], lines, smoothing: 0.5 });
  expect(drawn.map(({ kind, values }) => [kind, values])).toEqual([
    ["raw", [0, 10]],
    ["line", [5, 5]],
  ]);
});

test("no band covers a line", () => {
  const line = (label: string): Parameters<typeof layOut>[0]["lines"][number] => ({
    label,
    values: [1],
    low: [0],
    high: [2],
    colour: 0,
  });
  const { drawn } = layOut({ ...plain, steps: [1], lines: [line("a"), line("b")] });
  expect(drawn.map(({ kind }) => kind)).toEqual(["high", "low", "high", "low", "line", "line"]);
});

test("histograms of new rows come after those that were loaded, within the steps that are shown", () => {
  const series = { from: [1], to: [2], counts: [[1, 1]] };
  const rows = [2, 3, 9].map((step) => ({ step, h: [step, 0] }));
  expect(withCounts(series, rows, "h", undefined).from).toEqual([1, 3, 9]);
  expect(withCounts(series, rows, "h", [0, 5]).counts).toEqual([
    [1, 1],
    [3, 0],
  ]);
  expect(withCounts(series, rows, "other", undefined)).toBe(series);
});

test("what the feed tells is added to what was loaded, each thing once", () => {
  const detail = {
    step: 2,
    reward: 0.5,
    loss: null,
    isSft: false,
    state: "running",
    changedAtMs: 10,
    metrics: ["reward/mean"],
    histograms: [],
    still: { "reward/mean": 0.5, same: 1 },
    evals: [{ step: 0, env: "a" }],
    events: [{ type: "run-start", atMs: 1, detail: null }],
    outcomes: {},
    checkpoints: [],
    cursor: "0-0-100",
  } as unknown as RunDetail;
  const event = { type: "run-end", atMs: 2, detail: null };
  const live = withFeed(detail, {
    rows: [{ step: 3, "reward/mean": 0.75, fresh: 1, list: [1, 2], same: 1 }],
    evals: [
      { step: 0, env: "a" },
      { step: 3, env: "a" },
    ],
    events: [
      { row: event, byte: 90 },
      { row: event, byte: 150 },
    ],
    brief: {
      state: "finished",
      outcomes: { trained: 1 },
      checkpoints: [3],
      changedAtMs: 11,
      pace: { done: 3 } as RunPace,
    },
    connection: "live",
    version: 0,
  });
  expect(live).toMatchObject({ step: 3, reward: 0.75, state: "finished", outcomes: { trained: 1 }, checkpoints: [3] });
  expect(live.pace).toEqual({ done: 3 });
  expect(live.metrics).toEqual(["reward/mean", "fresh", "same"]);
  expect([live.histograms, live.still]).toEqual([["list"], { same: 1 }]);
  expect(live.evals.map(({ step }) => step)).toEqual([0, 3]);
  expect(live.events.map(({ type }) => type)).toEqual(["run-start", "run-end"]);
});
