import fc from "fast-check";
import { expect, test } from "vitest";
import { type ComparedRun, differingKeys, groupOf, overlay, placed } from "./group-runs.ts";

const run = (name: string, steps: readonly number[], values: readonly (number | null)[], seed = "1"): ComparedRun => ({
  name,
  series: { steps, values: { x: values }, rows: steps.length },
  settings: { config: { seed, model: "toy" }, metrics: ["x"] },
});

test("runs whose names share a part are one group, and others stand alone", () => {
  const pattern = /^(.*)-/;
  const names = ["lower-seed1", "lower-seed2", "other"].map((name) =>
    groupOf({ name, settings: undefined }, { type: "name", pattern }),
  );
  expect(names).toEqual(["lower", "lower", "other"]);
  expect(groupOf(run("a", [], [], "7"), { type: "config", key: "seed" })).toBe("seed 7");
});

test("only keys in which runs differ are offered", () => {
  const settings = [run("a", [], [], "1"), run("b", [], [], "2")].flatMap((one) => one.settings ?? []);
  expect(differingKeys(settings)).toEqual(["seed"]);
});

test("a group is its mean, with a band from its lowest run to its highest", () => {
  const runs = [run("g-1", [1, 2, 3], [0, 1, 2]), run("g-2", [1, 3], [2, 4]), run("alone", [2], [9])];
  const { steps, lines } = overlay(runs, "x", { type: "name", pattern: /^(.*)-/ });
  expect(steps).toEqual([1, 2, 3]);
  expect(lines).toEqual([
    { label: "g (2)", colour: 0, values: [1, 2, 3], low: [0, 1, 2], high: [2, 3, 4] },
    { label: "alone", colour: 1, values: [null, 9, null] },
  ]);
});

test("a run keeps its own values on its own steps, and has none outside of them", () => {
  const points = fc
    .uniqueArray(fc.nat(50), { minLength: 1, maxLength: 12 })
    .map((steps) => steps.sort((a, b) => a - b));
  fc.assert(
    fc.property(points, points, (own, others) => {
      const steps = [...new Set([...own, ...others])].sort((a, b) => a - b);
      const values = placed(run("a", own, own).series, "x", steps);
      const expected = steps.map((step) => (step < (own[0] ?? 0) || step > (own.at(-1) ?? 0) ? null : step));
      expect(values.map((value) => (value === null ? null : Math.round(value * 1e6) / 1e6))).toEqual(expected);
    }),
  );
});
