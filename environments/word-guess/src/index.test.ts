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

test("with choices the prompt shows the secret among others, and tasks never end", async () => {
  const small = definition.create({ choices: 4, brief: true, maxGuesses: 3 });
  const checks = await checkEnvironment(small);
  expect(checks.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
  const tasks: { word?: string; choices?: string[] }[] = [];
  for await (const task of small.tasks("all").head(900)) {
    tasks.push(task as { word?: string; choices?: string[] });
  }
  expect(tasks).toHaveLength(900);
  for (const { word, choices } of tasks) expect(choices).toContain(word);
  const { nodes } = await runOnce(small, { model: scriptedModel(["hm"]) });
  expect(nodes[0]?.message.content).toBe(
    "Guess the word in 3 tries, as [word]. Marks: G = right place, Y = elsewhere, X = not in it.\n" +
      `It is one of: ${tasks[0]?.choices?.join(" ")}`,
  );
  expect(() => definition.create({ words: ["crane"], choices: 2 })).toThrow("choices is 2, but there are 1 words.");
});
