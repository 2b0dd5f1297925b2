import { expect, test } from "vitest";
import type { ScoreReward } from "../reward/reward.ts";
import { MathRubric, type MathRubricOptions } from "./rubric.ts";

type Needs = { readonly task: { readonly answer: string }; readonly reply: string };

async function score(reply: string, answer: string, options: MathRubricOptions = {}): Promise<number | boolean> {
  await using rubric = new MathRubric(options);
  return (rubric.rewards["correct"] as ScoreReward<Needs>).score({ task: { answer }, reply });
}

test("a boxed answer that equals the task's is correct", async () => {
  expect(await score("So it is \\boxed{\\frac{2}{4}}.", "0.5")).toBe(true);
  expect(await score("<think>hm</think>\\boxed{x = 3}", "3")).toBe(true);
  expect(await score("\\boxed{4}", "\\boxed{4}")).toBe(true);
});

test("another answer, no box, an empty box and an empty gold are not", async () => {
  expect(await score("\\boxed{4}", "5")).toBe(false);
  expect(await score("It is 5.", "5")).toBe(false);
  expect(await score("\\boxed{}", "5")).toBe(false);
  expect(await score("\\boxed{ }", " ")).toBe(false);
  expect(await score("\\boxed{5}", "")).toBe(false);
});

test("an answer without a box is found when the rubric is told to look for it", async () => {
  expect(await score("The answer is 5.", "5", { mode: "priority" })).toBe(true);
});

test("options reach the comparison", async () => {
  expect(await score("\\boxed{28}", "28\\%")).toBe(false);
  expect(await score("\\boxed{28}", "28\\%", { percent: "lenient" })).toBe(true);
  expect(() => new MathRubric({ precision: -1 })).toThrow(RangeError);
});

test("it is a rubric with one reward, and says which field of a task it reads", () => {
  const rubric = new MathRubric({ weight: 0.5 });
  expect(rubric.kind).toBe("hone/rubric");
  expect(Object.keys(rubric.rewards)).toEqual(["correct"]);
  expect((rubric.rewards["correct"] as ScoreReward<Needs>).weight).toBe(0.5);
  expect(Object.keys(rubric.fields?.shape ?? {})).toEqual(["answer"]);
});
