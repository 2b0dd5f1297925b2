import fc from "fast-check";
import { expect, test } from "vitest";
import { formatAge, formatCount, formatDuration, formatLike, formatNumber } from "./format.ts";
import { joinParts, planCharts, planStack, smooth, toCsv, withRows } from "./series.ts";

test("a metric of several environments is one chart with a line for each", () => {
  const keys = ["reward/mean", "reward/a/mean", "reward/a/b/mean", "reward/a/right", "update/loss"];
  expect(planCharts(keys, "reward", ["a/b", "a"])).toEqual([
    {
      title: "reward/mean",
      lines: [
        { label: "all", key: "reward/mean" },
        { label: "a", key: "reward/a/mean" },
        { label: "a/b", key: "reward/a/b/mean" },
      ],
    },
    { title: "reward/right", lines: [{ label: "a", key: "reward/a/right" }] },
  ]);
});

test("with one environment the line over all is left out: it says the same", () => {
  expect(planCharts(["rollout/turns", "rollout/a/turns"], "rollout", ["a"])[0]?.lines).toEqual([
    { label: "a", key: "rollout/a/turns" },
  ]);
});

test("parts of a whole lie on each other in one chart, those that exist", () => {
  expect(planStack(["a/x", "a/y"], "a", { first: "a/x", second: "a/none", third: "a/y" }, [2, 0, 1])).toEqual({
    title: "a",
    lines: [
      { label: "first", key: "a/x", colour: 2 },
      { label: "third", key: "a/y", colour: 1 },
    ],
    isStacked: true,
  });
  expect(planStack([], "a", { first: "a/x" })).toBeUndefined();
});

test("a metric of several tools is one chart", () => {
  const plans = planCharts(
    ["rollout/tool_calls", "rollout/tool_calls/look", "rollout/tool_calls/ask_again"],
    "rollout",
    [],
  );
  expect(joinParts(plans, "rollout/tool_calls").map(({ lines }) => lines.map(({ label }) => label))).toEqual([
    ["all"],
    ["look", "ask again"],
  ]);
});

test("rows of the feed are added after what was loaded, once", () => {
  const series = { steps: [1, 2], values: { x: [1, 2] }, rows: 2 };
  const rows = [
    { step: 2, x: 9 },
    { step: 3, x: 3, y: 1 },
  ];
  expect(withRows(series, rows, ["x", "y"])).toEqual({
    steps: [1, 2, 3],
    values: { x: [1, 2, 3], y: [null, null, 1] },
    rows: 3,
  });
  expect(withRows(series, [], ["x"])).toBe(series);
  expect(withRows({ ...series, means: { x: [5, 6] } }, rows, ["x"]).means).toEqual({ x: [5, 6, 3] });
});

test("smoothing stays within the values, keeps gaps, and leaves a constant alone", () => {
  const values = fc.array(fc.option(fc.double({ min: -10, max: 10, noNaN: true })), { minLength: 1 });
  fc.assert(
    fc.property(values, fc.double({ min: 0, max: 0.99, noNaN: true }), (series, weight) => {
      const known = series.filter((value) => value !== null);
      const smoothed = smooth(series, weight);
      expect(smoothed.map((value) => value === null)).toEqual(series.map((value) => value === null));
      for (const value of smoothed) {
        if (value === null) continue;
        expect(value).toBeGreaterThanOrEqual(Math.min(...known) - 1e-9);
        expect(value).toBeLessThanOrEqual(Math.max(...known) + 1e-9);
      }
    }),
  );
  expect(smooth([2, 2, 2], 0.9).map((value) => value?.toFixed(9))).toEqual([
    "2.000000000",
    "2.000000000",
    "2.000000000",
  ]);
});

test("a file of values has a head, quotes what needs it, and leaves gaps empty", () => {
  expect(toCsv([1, 2], [{ label: 'a,"b"', values: [0.5, null] }])).toBe('step,"a,""b"""\n1,0.5\n2,\n');
});

test("numbers are written as people read them", () => {
  expect(
    [0.1234, 12.345, 123.45, 12_345, 0.00001, 0, null, Number.NaN, Infinity, -1.5].map((value) => formatNumber(value)),
  ).toEqual(["0.123", "12.35", "123.5", "12,345", "1.00e−5", "0.000", "–", "–", "∞", "−1.500"]);
  expect([formatCount(1234), formatCount(1.5)]).toEqual(["1,234", "1.5"]);
  expect([formatLike(8, [8, 9]), formatLike(8, [8, 8.5])]).toEqual(["8", "8.000"]);
  expect([0.5, 5.25, 500, 5000, 65_000, 3_700_000].map(formatDuration)).toEqual([
    "0.50 ms",
    "5.3 ms",
    "500 ms",
    "5.00 s",
    "1 min 5 s",
    "1 h 2 min",
  ]);
  expect([10, 120, 7200, 200_000].map((seconds) => formatAge(0, seconds * 1000))).toEqual([
    "now",
    "2 min",
    "2 h",
    "2 d",
  ]);
});
