import { expect, test } from "vitest";
import { metricsOf } from "./points.ts";

test("an update keeps its names, and labels are no metrics", () => {
  const row = { step: 3, "reward/mean": 0.5, "update/loss": Number.NaN, model: "hone/tiny" };
  expect(metricsOf("updates", row)).toEqual({ "reward/mean": 0.5, "update/loss": Number.NaN });
});

test("an evaluation is named after its environment, an interval by its ends", () => {
  const row = { step: 3, env: "words", "reward/mean": 0.5, "reward/ci95": [0.4, 0.6], spread: [1, 2, 3] };
  expect(metricsOf("evals", row)).toEqual({
    "eval/words/reward/mean": 0.5,
    "eval/words/reward/ci95/low": 0.4,
    "eval/words/reward/ci95/high": 0.6,
    "eval/words/spread/0": 1,
    "eval/words/spread/1": 2,
    "eval/words/spread/2": 3,
  });
  expect(metricsOf("evals", { step: 0, n: 2 })).toEqual({ "eval/n": 2 });
});
