import { checkEnvironment, runOnce, scriptedModel } from "@hone/env/testing";
import { expect, test } from "vitest";
import definition, { mark } from "./index.ts";

const environment = definition.create({ words: ["crane"], maxGuesses: 3 });
const play = async (...replies: string[]) => runOnce(environment, { model: scriptedModel(replies) });

test("keeps the rules of an environment", async () => {
  const checks = await checkEnvironment(definition.create({}));
  expect(checks.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
});

test.each([
  ["crane", "crane", "GGGGG"],
  ["slate", "crane", "XXGXG"],
  ["eerie", "crane", "XXYXG"],
  ["allay", "llama", "YGYYX"],
  ["speed", "abide", "XXYXY"],
])("%s against %s is %s: a letter is marked as often as it is there", (guess, word, marks) => {
  expect(mark(guess, word)).toBe(marks);
});

test("fewer guesses score more", async () => {
  expect((await play("[crane]")).agents[0]?.reward).toBeCloseTo(1);
  expect((await play("[slate]", "my guess: [CRANE]")).agents[0]?.reward).toBeCloseTo(0.9);
  expect((await play("[slate]", "[speed]", "[plant]")).agents[0]?.reward).toBe(0);
});

test("losing ends the game without being a truncation", async () => {
  const rollout = await play("[slate]", "[speed]", "[plant]");
  expect(rollout).toMatchObject({ stop: { type: "ended", by: "lost" }, truncated: false });
});

test("what is no guess costs a turn, not a guess", async () => {
  const rollout = await play("hm", "[zzzzz]", "[toolong]", "[crane]");
  expect(rollout.agents[0]).toMatchObject({ metrics: { guesses: 1, turns: 4 } });
  expect(rollout.nodes.map(({ message }) => message.content)).toContain("zzzzz is not in the dictionary. Guess again.");
});
