import { expect, test } from "vitest";
import { LearningRateSchedule, learningRateAt } from "./learning-rate.ts";

const at = (schedule: object, steps: readonly number[]) =>
  steps.map((step) => learningRateAt(step, 1, 11, LearningRateSchedule.parse(schedule)));

test("constant stays", () => {
  expect(at({}, [1, 5, 11])).toEqual([1, 1, 1]);
});
test("linear goes from the rate to what is left of it", () => {
  expect(at({ type: "linear", final: 0.5 }, [1, 6, 11, 99])).toEqual([1, 0.75, 0.5, 0.5]);
});
test("cosine is half way in the middle", () => {
  const [first, middle, last] = at({ type: "cosine" }, [1, 6, 11]);
  expect([first, last]).toEqual([1, 0]);
  expect(middle).toBeCloseTo(0.5);
});
test("a warm-up rises to the rate and is not 0 at the first step", () => {
  expect(at({ warmupSteps: 3 }, [1, 2, 3, 4])).toEqual([0.25, 0.5, 0.75, 1]);
});
