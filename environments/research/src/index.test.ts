import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { checkEnvironment, runOnce, scriptedModel } from "@hone/env/testing";
import { expect, test } from "vitest";
import definition from "./index.ts";

const environment = definition.create({});
/** Says yes where the response holds the reference answer. */
const judge = scriptedModel(({ messages }) => {
  const [, reference, response] =
    /Reference answer:\n([\s\S]*?)\n\nResponse:\n([\s\S]*?)\n\nDoes/.exec(String(messages[0]?.content)) ?? [];
  return response !== "" && response?.includes(reference ?? "") === true ? "yes" : "no";
});
const models = () => judge;

test("keeps the rules of an environment", async () => {
  const checks = await checkEnvironment(environment, { count: 12, models });
  expect(checks.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
});

test("searching, reading and answering is judged, and the tools are counted", async () => {
  const model = scriptedModel((_request, { index }) => {
    if (index === 0) return { toolCalls: [{ name: "search", arguments: { query: "bees dance direction" } }] };
    if (index === 1) return { toolCalls: [{ name: "read", arguments: { id: "honey-bee" } }] };
    return "By dancing: the angle gives the direction to the sun and the length the distance.";
  });
  const rollout = await runOnce(environment, { model, models });
  expect(rollout.nodes.map(({ message }) => String(message.content)).join("\n")).toMatch(
    /honey-bee: Honey bee\. .*dancing/,
  );
  expect(rollout.agents[0]).toMatchObject({
    reward: 1,
    metrics: { articles_read: 1, tool_calls: 2, "tool_calls/search": 1, "tool_calls/read": 1 },
  });
});

test("an article that is not there and a search without a match are told to the model", async () => {
  const model = scriptedModel((_request, { index }) => {
    const calls = [
      { name: "read", arguments: { id: "unicorn" } },
      { name: "search", arguments: { query: "zzzz" } },
    ];
    return index === 0 ? { toolCalls: calls } : "I do not know.";
  });
  const rollout = await runOnce(environment, { model, models });
  const said = rollout.nodes.flatMap(({ message }) => (message.role === "tool" ? [message.content] : []));
  expect(said).toEqual([
    "Error: There is no article unicorn. Use an id that the search gave.",
    "Nothing matches. Try other words.",
  ]);
  expect(rollout.agents[0]?.reward).toBe(0);
});

test("a library of one's own is a folder, gzipped articles and several right answers included", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hone-research-"));
  await writeFile(
    join(folder, "articles-6k.jsonl.gz"),
    gzipSync('{"id":"Tea","title":"Tea","text":"Tea is made of leaves."}\n'),
  );
  await writeFile(join(folder, "qa-join.jsonl"), '{"question":"What is tea made of?","answer":["leaves","leaf"]}\n');
  const own = definition.create({ folder });
  const model = scriptedModel((_request, { index }) =>
    index === 0 ? { toolCalls: [{ name: "search", arguments: { query: "tea" } }] } : "leaves or leaf",
  );
  const rollout = await runOnce(own, { model, models });
  await rm(folder, { recursive: true });
  expect(rollout.nodes.map(({ message }) => String(message.content)).join("\n")).toContain(
    "Tea: Tea. Tea is made of leaves.",
  );
  expect(rollout.agents[0]?.reward).toBe(1);
  expect(() => definition.create({ folder })).toThrow("holds none of articles.jsonl");
});
