import { checkEnvironment, runOnce, scriptedModel } from "@hone/env/testing";
import { expect, test } from "vitest";
import definition, { numberIn } from "./index.ts";

const own = definition.create({ source: "own" });

test("keeps the rules of an environment on all of its own problems", async () => {
  const checks = await checkEnvironment(own, { count: 20 });
  expect(checks.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
});

test("problems for evaluation are apart from those for training", async () => {
  const ids = async (split: "train" | "eval") => {
    const all: string[] = [];
    for await (const { id } of own.tasks(split)) all.push(id);
    return all;
  };
  const [train, held] = [await ids("train"), await ids("eval")];
  expect([train.length, held.length, new Set([...train, ...held]).size]).toEqual([12, 8, 20]);
});

test.each([
  ["29", 29],
  ["1,426", 1426],
  [" $27.50 ", 27.5],
  ["-4", -4],
  ["12.5 minutes", 12.5],
  ["nothing", undefined],
])("%j is read as %s", (text, value) => {
  expect(numberIn(text)).toBe(value);
});

test.each([
  ["So it is\n#### 29 rolls", 1],
  ["#### 28\nNo, wait.\n#### 29.0", 1],
  ["The answer is 29", 0],
  ["#### 2,9", 1],
  ["#### 290", 0],
])("the first problem answered with %j scores %s", async (reply, reward) => {
  const rollout = await runOnce(own, { model: scriptedModel(() => reply) });
  expect(rollout.agents[0]?.reward).toBe(reward);
});
