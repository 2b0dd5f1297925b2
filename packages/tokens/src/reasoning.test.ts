import fc from "fast-check";
import { expect, test } from "vitest";
import { splitReasoning } from "./reasoning.ts";

test.each([
  ["no block", "an answer", undefined, "an answer"],
  ["a block before the answer", "<think>\nwhy\n</think>\n\nan answer", "why", "an answer"],
  ["white space before the block", "\n <think>why</think>an answer", "why", "an answer"],
  ["an empty block", "<think>\n\n</think>\n\nan answer", undefined, "an answer"],
  ["a block without its opening tag", "why\n</think>\n\nan answer", "why", "an answer"],
  ["a block that is never closed", "<think>\nwhy", "why", ""],
  ["a block in the middle of the answer", "see <think>x</think>", undefined, "see <think>x</think>"],
  ["a closing tag in the answer", "<think>a</think>b</think>c", "a", "b</think>c"],
])("%s", (_name, text, reasoning, content) => {
  expect(splitReasoning(text)).toEqual({ reasoning, content });
});

test("a reply to a prompt that opened the block starts inside it", () => {
  expect(splitReasoning("why, cut off", true)).toEqual({ reasoning: "why, cut off", content: "" });
  expect(splitReasoning("why</think>so", true)).toEqual({ reasoning: "why", content: "so" });
});

test("a hundred thousand line breaks do not take long", () => {
  const breaks = "\n".repeat(100_000);
  expect(splitReasoning(`<think>a${breaks}b</think>c`)).toEqual({ reasoning: `a${breaks}b`, content: "c" });
});

test("any text splits", () => {
  const text = fc.array(fc.constantFrom("<think>", "</think>", "\n", " ", "a", "<")).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, fc.boolean(), (text, isOpen) => {
      const { reasoning = "", content } = splitReasoning(text, isOpen);
      expect(text).toContain(reasoning);
      expect(text.endsWith(content)).toBe(true);
    }),
  );
});
