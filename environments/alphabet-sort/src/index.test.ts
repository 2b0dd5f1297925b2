import { checkEnvironment, runOnce, scriptedModel } from "@hone/env/testing";
import { expect, test } from "vitest";
import definition, { expected, turnRatio } from "./index.ts";
import { sorted, type SortTask } from "./tasks.ts";

const task: SortTask = { sortBy: "last", batches: [["AnnaBerg", "ZoeAbel"], ["IvoBach"]] };

test("keeps the rules of an environment, several turns included", async () => {
  const checks = await checkEnvironment(definition.create({ minTurns: 2 }));
  expect(checks.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
});

test("names are sorted by the half that was asked for", () => {
  expect(sorted(["AnnaBerg", "ZoeAbel", "BelaZola"], "last")).toEqual(["ZoeAbel", "AnnaBerg", "BelaZola"]);
  expect(sorted(["ZoeAbel", "BelaZola", "AnnaBerg"], "first")).toEqual(["AnnaBerg", "BelaZola", "ZoeAbel"]);
});

test("later turns hold the whole list with the new names marked", () => {
  expect(expected(task, 1)).toBe("ZoeAbel\nAnnaBerg");
  expect(expected(task, 2)).toBe("ZoeAbel\nIvoBach // new name!\nAnnaBerg");
});

test.each([
  ["right", "<alphabetical_sorted>\nZoeAbel\nAnnaBerg\n</alphabetical_sorted>", 1],
  ["case and blank lines do not matter", "<alphabetical_sorted>\n\n zoeabel\n\nANNABERG</alphabetical_sorted>", 1],
  ["no tag", "ZoeAbel\nAnnaBerg", 0],
  ["the other turn's tag", "<combined_alphabetical_sorted>ZoeAbel\nAnnaBerg</combined_alphabetical_sorted>", 0],
  [
    "a second try that improves",
    "<alphabetical_sorted>AnnaBerg</alphabetical_sorted><alphabetical_sorted>ZoeAbel\nAnnaBerg</alphabetical_sorted>",
    1,
  ],
  [
    "a second try that does not",
    "<alphabetical_sorted>ZoeAbel\nAnnaBerg</alphabetical_sorted><alphabetical_sorted>ZoeAbel\nAnnaBerg</alphabetical_sorted>",
    0,
  ],
])("one turn: %s", (_what, reply, ratio) => {
  expect(turnRatio(task, 1, reply)).toBe(ratio);
});

test("the reward is the mean over turns of the ratio to the fourth power", async () => {
  const environment = definition.create({ minTurns: 2, maxTurns: 2 });
  const gold: string[] = [];
  for await (const first of environment.tasks("all").head(1))
    gold.push(...[environment.gold(first)].flat().map(String));
  const model = scriptedModel((_request, { index }) => (index === 0 ? (gold[0] ?? "") : "I give up."));
  expect((await runOnce(environment, { model })).agents[0]?.reward).toBe(0.5);
});

test("a brief prompt holds the names, the tags and little else, and every task is sorted by the half asked for", async () => {
  const environment = definition.create({ brief: true, sortBy: "last", minTurns: 2, maxTurns: 2, maxNamesPerTurn: 2 });
  const checks = await checkEnvironment(environment);
  expect(checks.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
  const { nodes } = await runOnce(environment, { model: scriptedModel(["no"]) });
  const asked = nodes.flatMap(({ message }) => (message.role === "user" ? [String(message.content)] : []));
  expect(asked.map((text) => text.split("\n")[0])).toEqual([
    "Sort by last name, inside <alphabetical_sorted> tags:",
    'Add these by last name, marked "// new name!", inside <combined_alphabetical_sorted> tags:',
  ]);
  for await (const one of environment.tasks("all").head(20)) expect(one).toMatchObject({ sortBy: "last" });
});
