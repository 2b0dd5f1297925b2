import { expect, test } from "vitest";
import { findAnswer, findGold } from "./find-answer.ts";

test("the answer is cut out of a reply where it says so, and is the reply where it does not", () => {
  expect(findAnswer("So \\boxed{1} or \\boxed{\\frac{1}{2}}.")).toEqual({ text: "\\frac{1}{2}", inside: "\\boxed{}" });
  expect(findAnswer("2 + 2\n#### 4 ")).toEqual({ text: "4", inside: "####" });
  expect(findAnswer("<think>no</think><answer>\nyes\n</answer>")).toEqual({ text: "yes", inside: "<answer>" });
  expect(findAnswer("<think>only thoughts</think> done ")).toEqual({ text: "<think>only thoughts</think> done" });
  expect(findAnswer("Here:\n```python\nx = 1\n```\n")).toEqual({ text: "x = 1", inside: "```" });
  expect(findAnswer("never closed \\boxed{4")).toEqual({ text: "never closed \\boxed{4" });
});

test("what is right is found in the task where a field holds it as text", () => {
  expect(findGold({ id: "1", question: "?", answer: "4", solution: "2 + 2" })).toEqual({ field: "answer", text: "4" });
  expect(findGold({ target: 12 })).toEqual({ field: "target", text: "12" });
  expect(findGold({ answer: { type: "reply" }, solution: "x" })).toEqual({ field: "solution", text: "x" });
  expect(findGold({ expected: ["a", "b"] })).toEqual({ field: "expected", text: "a\nb" });
  expect(findGold({ text: "reverse me" })).toBeUndefined();
  expect(findGold(null)).toBeUndefined();
});
