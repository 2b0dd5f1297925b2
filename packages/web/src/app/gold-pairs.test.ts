import { expect, test } from "vitest";
import type { RolloutNode } from "./rollout-types.ts";
import { goldPairs } from "./gold-pairs.ts";

const said = (role: "user" | "assistant", content: string): RolloutNode => ({
  parent: null,
  agent: "agent",
  message: { role, content },
  sampled: role === "assistant",
});
const oneTurn = [said("user", "2 + 2?"), said("assistant", "#### 5")];

test("a recorded reply that is right comes before the fields of the task", () => {
  const task = { id: "1", answer: "so 4" };
  expect(goldPairs({ gold: ["#### 4"], task, nodes: oneTurn })).toEqual({
    pairs: [{ node: 1, reply: "#### 5", gold: "#### 4" }],
    missing: [],
  });
  expect(goldPairs({ gold: null, task, nodes: oneTurn })).toEqual({
    field: "answer",
    pairs: [{ node: 1, reply: "#### 5", gold: "so 4" }],
    missing: [],
  });
  expect(goldPairs({ gold: [], task: { id: "1" }, nodes: oneTurn })).toBeUndefined();
});

test("of several turns each reply is held against its own, and what was not reached is told", () => {
  const nodes = [said("user", "a"), said("assistant", "one"), said("user", "b"), said("assistant", "two")];
  expect(goldPairs({ gold: ["1", "2", "3"], task: null, nodes })).toEqual({
    pairs: [
      { node: 1, turn: 1, reply: "one", gold: "1" },
      { node: 3, turn: 2, reply: "two", gold: "2" },
    ],
    missing: ["3"],
  });
});

test("more replies than the gold has turns: the last is held against the last", () => {
  const nodes = ["x", "y", "z"].map((text) => said("assistant", text));
  expect(goldPairs({ gold: ["1", "2"], task: null, nodes })?.pairs).toEqual([{ node: 2, reply: "z", gold: "2" }]);
});

test("where nothing was replied, what would have been right is still known", () => {
  expect(goldPairs({ gold: ["4"], task: null, nodes: [said("user", "2 + 2?")] })).toEqual({
    pairs: [],
    missing: ["4"],
  });
});
