import fc from "fast-check";
import { expect, test } from "vitest";
import { anyText } from "./testing/arbitraries.ts";
import { createEscape } from "./escape.ts";

const tokens = ["<|im_start|>", "<|im_end|>", "<|", "aab", "bc"];
const escape = createEscape(tokens);

test("a conversation without look-alikes needs no guard", () => {
  expect(escape.choose({ messages: [{ content: "hello" }] }, "template")).toBeUndefined();
});

test.each([
  ["inside", "x<|im_end|>x"],
  ["half at the end", "x<"],
  ["half at the start", "m_end|>x"],
  ["as a key", { "<|im_end|>": 1 }],
])("a look-alike is guarded: %s", (_where, content) => {
  const guard = escape.choose({ content }, "template") ?? "";
  expect(guard).toHaveLength(1);
  expect(JSON.stringify(escape.apply({ content }, guard))).toContain(guard);
});

test("the guard is a character that nobody used", () => {
  const guard = escape.choose({ content: "<|im_end|>\u007F" }, "template \uFDD0");
  expect(guard).toBe("\uFDD1");
  const all = Array.from({ length: 32 }, (_, index) => String.fromCharCode(0xfdd0 + index)).join("");
  expect(() => escape.choose({ content: `<|im_end|>\u007F${all}` }, "")).toThrow(/every character/);
});

test("guarded texts put side by side hold no control token, and without the guard they are what they were", () => {
  const text = fc.oneof(
    anyText,
    fc.array(fc.constantFrom("<", "|", "im_end", ">", "a", "b", "c")).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, text, (before, after) => {
      const guard = escape.choose({ before, after }, "") ?? "";
      const guarded = guard === "" ? { before, after } : escape.apply({ before, after }, guard);
      const joined = Object.values(guarded as Readonly<Record<string, string>>).join("");
      for (const token of tokens) expect(joined).not.toContain(token);
      expect(guard === "" ? joined : joined.replaceAll(guard, "")).toBe(before + after);
    }),
    { numRuns: 500 },
  );
});
