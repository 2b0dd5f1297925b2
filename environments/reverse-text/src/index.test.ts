import { checkEnvironment, runOnce, scriptedModel } from "@hone/env/testing";
import { expect, test } from "vitest";
import definition from "./index.ts";

const environment = definition.create({});

test("keeps the rules of an environment", async () => {
  expect(await checkEnvironment(environment)).toEqual(
    expect.not.arrayContaining([expect.objectContaining({ outcome: "failed" })]),
  );
});

test("half a text scores between nothing and all", async () => {
  const model = scriptedModel(({ messages }) => {
    const reversed = [...String(messages.at(-1)?.content)].toReversed().join("");
    return `<reversed_text>${reversed.slice(0, reversed.length / 2)}</reversed_text>`;
  });
  const [agent] = (await runOnce(environment, { model })).agents;
  expect(agent?.reward).toBeGreaterThan(0.5);
  expect(agent?.reward).toBeLessThan(0.8);
  expect(agent?.metrics["exact"]).toBe(0);
});

test("an answer outside the tags scores nothing", async () => {
  const model = scriptedModel(({ messages }) => [...String(messages.at(-1)?.content)].toReversed().join(""));
  expect((await runOnce(environment, { model })).agents[0]?.reward).toBe(0);
});

test("texts differ by seed and are the same in every run", async () => {
  const first = async (seed: number) => {
    for await (const task of definition.create({ seed }).tasks("all").head(1)) return (task as { text?: string }).text;
    return undefined;
  };
  expect(await first(1)).toBe(await first(1));
  expect(await first(1)).not.toBe(await first(2));
});
