import { createRandom, type Environment, type RolloutRequest } from "@hone/core";
import { defineEnvironment } from "@hone/env";
import { runOnce } from "@hone/env/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { alwaysRight, misspell, mostlyRight, withRolloutModels } from "./scripted.ts";

const environment = defineEnvironment({
  name: "count",
  tasks: [{ id: "one", text: "abcdef" }],
  prompt: ({ task }) => task.text,
  respond: ({ turn }) => (turn < 3 ? "again" : { by: "done" }),
  gold: ({ task }) => [`<a>${task.text}</a>`, "second"],
  rewards: { any: () => 1 },
});

async function replies(
  on: Environment,
  model: Parameters<typeof runOnce>[1]["model"],
  seed: number,
): Promise<string[]> {
  const { nodes } = await runOnce(on, { model, seed });
  return nodes.flatMap(({ sampled, message }) => (sampled ? [String(message.content)] : []));
}

test("the gold model gives the gold reply of each turn, then the last one again", async () => {
  const wrapped = withRolloutModels(environment, environment);
  expect(await replies(wrapped, alwaysRight("gold"), 0)).toEqual(["<a>abcdef</a>", "second", "second"]);
});

test("about two rollouts in three are right in all their turns, the others in none, and a seed decides which", async () => {
  const wrapped = withRolloutModels(environment, environment);
  let right = 0;
  for (let seed = 0; seed < 300; seed++) {
    const said = await replies(wrapped, mostlyRight("scripted"), seed);
    const isRight = said[0] === "<a>abcdef</a>";
    if (isRight) right++;
    expect(said.map((reply, turn) => reply === ["<a>abcdef</a>", "second", "second"][turn])).toEqual([
      isRight,
      isRight,
      isRight,
    ]);
    if (seed < 20) expect(await replies(wrapped, mostlyRight("scripted"), seed)).toEqual(said);
  }
  expect(right / 300).toBeGreaterThan(0.6);
  expect(right / 300).toBeLessThan(0.73);
});

test("without gold replies it does not know", async () => {
  const wrapped = withRolloutModels(environment, {});
  expect(await replies(wrapped, mostlyRight("scripted"), 1)).toEqual(Array(3).fill("I do not know."));
});

test("a model that is not made per rollout stays as it is", async () => {
  let asked: RolloutRequest | undefined;
  const inner = {
    ...withRolloutModels(environment, {}),
    rollout: (request: RolloutRequest) => environment.rollout((asked = request)),
  };
  const model = {
    name: "plain",
    complete: async () => ({
      message: { role: "assistant" as const, content: "x" },
      finish: "stop" as const,
      usage: { inputTokens: 1, outputTokens: 1 },
    }),
  };
  await replies(withRolloutModels(inner, environment), model, 0);
  expect(asked?.resources.model).toBe(model);
});

test("a mistake changes letters and digits, never tags or the form of the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer(), (text, seed) => {
      const wrong = misspell(`<tag>${text}</tag>`, createRandom(seed));
      expect(wrong.startsWith("<tag>")).toBe(true);
      expect(wrong).not.toBe(`<tag>${text}</tag>`);
      const letters = [...text.replaceAll(/<[^>]*>/g, "")].filter((letter) => /[\p{L}\p{N}]/u.test(letter));
      if (letters.length === 0) return;
      expect(wrong.endsWith("</tag>")).toBe(true);
      expect([...wrong]).toHaveLength([...`<tag>${text}</tag>`].length);
    }),
  );
});

test("digits stay digits and capitals stay capitals", () => {
  for (let seed = 0; seed < 50; seed++)
    expect(misspell("#### 29 Apples", createRandom(seed))).toMatch(/^#### \d\d [A-Z][a-z]{5}$/);
});
