import type { AssistantMessage } from "@hone/core";
import { expect, test } from "vitest";
import { createCarryMemory } from "./carry.ts";

const said = (content: string): AssistantMessage => ({ role: "assistant", content, reasoning: "r" });

test("a copy of the message finds what belongs to it, another message does not", () => {
  const memory = createCarryMemory({ maxCharacters: 1000 });
  expect(memory.recall(said("a"))).toBeUndefined();
  memory.remember(said("a"), ["signed"]);
  expect(memory.recall(structuredClone(said("a")))).toEqual(["signed"]);
  expect(memory.recall({ ...said("a"), reasoning: "other" })).toBeUndefined();
  expect(memory.recall({ ...said("a"), toolCalls: [{ id: "1", name: "n", arguments: "{}" }] })).toBeUndefined();
});

test("it is bounded, and what was used last stays", () => {
  const memory = createCarryMemory({ maxCharacters: 50 });
  for (const name of ["a", "b", "c"]) {
    memory.remember(said(name), "x".repeat(10));
    memory.remember(said(name), "x".repeat(10));
  }
  expect(memory.recall(said("a"))).toBeDefined();
  memory.remember(said("d"), "x".repeat(20));
  expect(["a", "b", "c", "d"].map((name) => memory.recall(said(name)) !== undefined)).toEqual([
    true,
    false,
    true,
    true,
  ]);
  memory.remember(said("e"), "x".repeat(100));
  expect(memory.recall(said("e"))).toBeUndefined();
});
