import { expect, test } from "vitest";
import { countOf, slowestOf } from "./vitest-reporter.mjs";

test("a run counts its tests by what became of them", () => {
  expect(countOf(["passed", "failed", "skipped", "passed"], 0)).toEqual({ passed: 2, failed: 1, skipped: 1 });
});

test("a file that does not load and a test that was cut short are failures", () => {
  expect(countOf(["passed", "pending"], 1)).toEqual({ passed: 1, failed: 2, skipped: 0 });
});

test("the ten slowest tests are shown, the slowest first", () => {
  const tests = Array.from({ length: 12 }, (_, index) => ({ name: String(index), durationMs: index }));
  const slowest = slowestOf(tests);
  expect(slowest.map(({ durationMs }) => durationMs)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
});
