import { expect, test } from "vitest";
import { extractMathAnswer } from "./extract.ts";
import { mathEqual } from "./equal.ts";

const boxed = (text: string): string => extractMathAnswer(text, { mode: "boxed" });
const found = (text: string): string => extractMathAnswer(text, { mode: "priority" });

test("the last box after the reasoning is the answer, braces matched", () => {
  expect(boxed("First \\boxed{1}, no: \\boxed{\\frac{1}{2}}.")).toBe("\\frac{1}{2}");
  expect(boxed("<think>\\boxed{1}</think> It is \\boxed{2}.")).toBe("2");
  expect(boxed("<think>It is \\boxed{1}</think> It is 2.")).toBe("");
});

test("without a box, or with one that is not closed, there is no boxed answer", () => {
  expect(boxed("It is 42.")).toBe("");
  expect(boxed("It is \\boxed{42")).toBe("");
});

test("what is announced as the final answer comes before a box, a box before other announcements, those before the last number", () => {
  expect(found("So \\boxed{3}. The final answer is $4$. I hope it is correct.")).toBe("4");
  expect(found("The answer is 5. \\boxed{3}")).toBe("3");
  expect(found("The answer is 5, found in 12 steps.")).toBe("5");
  expect(found("It took 12 steps to find 5.")).toBe("5");
});

test("the last of several announcements counts", () => {
  expect(found("Answer: 4. Wait. Answer: 5.")).toBe("5");
});

test("values joined by commas, and, or are one answer", () => {
  expect(found("We find $x=1$, $x=2$ and $x=3$.")).toBe("x=1, x=2, x=3");
  expect(found("\\boxed{1} and \\boxed{2}")).toBe("1, 2");
  expect(found("Either $1$ or $2$")).toBe("1, 2");
});

test("boxes far apart are not joined", () => {
  expect(found(`\\boxed{1} ${"and then some words ".repeat(10)} \\boxed{2}`)).toBe("2");
});

test("all four kinds of delimiters, and numbers without any, are found", () => {
  expect(found("It is $\\frac12$")).toBe("\\frac12");
  expect(found("It is $$\\frac12$$")).toBe("\\frac12");
  expect(found("It is \\(\\frac12\\)")).toBe("\\frac12");
  expect(found("It is \\[\\frac12\\]")).toBe("\\frac12");
  expect(found("It costs 1,234.50 in all")).toBe("1,234.50");
  expect(found("It is -3.")).toBe("-3");
  expect(found("It is 25% of them.")).toBe("25\\%");
  expect(found("It is $25$ percent.")).toBe("25\\%");
});

test("a choice or a word that is announced is found", () => {
  expect(found("The answer is (C).")).toBe("C");
  expect(found("Answer: **B**")).toBe("B");
  expect(found("Answer: even")).toBe("even");
});

test("money is no mathematics", () => {
  expect(mathEqual(found("The cost is \\$5 and the profit is \\$12"), "12")).toBe(true);
});

test("a reply without anything to find gives nothing", () => {
  expect(found("I do not know.")).toBe("");
  expect(found("")).toBe("");
});
