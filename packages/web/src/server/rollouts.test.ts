import { appendFile, rm } from "node:fs/promises";
import { rolloutPaths } from "@hone/store";
import { expect, test } from "vitest";
import { sampleRollout, sampleRoot, sampleRun, writeRollouts } from "../testing/sample-run.ts";
import { readRollout, readText } from "./read-rollout.ts";
import { neighboursOf } from "./rollout-neighbours.ts";
import { RolloutIndex } from "./rollout-index.ts";
import { queryRollouts, type RolloutQuery } from "./rollout-query.ts";
import { scanRollouts } from "./scan-rollouts.ts";

const limits = { searchMs: 1000, now: () => 0 };
const everything: RolloutQuery = { offset: 0, limit: 100, sort: "newest", filter: {}, search: "" };
const nothingKnown = { task: () => null, gold: () => null, outcome: () => undefined };

test("rollouts are listed newest first, and new ones without reading the old again", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  await writeRollouts(run, 1, [sampleRollout({ id: "g1#0" }), sampleRollout({ id: "g1#1", reward: 0 })]);
  const index = new RolloutIndex(run.directory, () => 0);
  await index.refresh();
  await writeRollouts(run, 1, [sampleRollout({ id: "g2#0", reward: null })]);
  await writeRollouts(run, 2, [sampleRollout({ id: "g3#0" })]);
  await index.refresh();
  const page = await queryRollouts(run.directory, index, everything, limits);
  expect(page.items.map(({ id, reward }) => [id, reward])).toEqual([
    ["g3#0", 1],
    ["g2#0", null],
    ["g1#1", 0],
    ["g1#0", 1],
  ]);
  expect(page).toMatchObject({ next: null, total: 4, all: 4, isIndexed: true, environments: ["words"] });
  expect(page.items[0]?.excerpt).toBe("fine");
});

test("a rollout that was made again counts once, with its last result", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  await writeRollouts(run, 1, [sampleRollout({ id: "g#0", reward: 0 }), sampleRollout({ id: "g#1", reward: 0 })]);
  await writeRollouts(run, 1, [sampleRollout({ id: "g#0", reward: 1 })]);
  await writeRollouts(run, 2, [sampleRollout({ id: "g#1", reward: 1 })]);
  const index = new RolloutIndex(run.directory, () => 0);
  await index.refresh();
  expect(index.newestFirst().map(({ id, step, reward }) => [id, step, reward])).toEqual([
    ["g#1", 2, 1],
    ["g#0", 1, 1],
  ]);
});

test("a malformed or torn line hides no other", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  await writeRollouts(run, 1, [sampleRollout({ id: "g#0" })]);
  const { lines } = rolloutPaths(run.directory, 1);
  await appendFile(lines, '{"id": 5}\nnot json\n');
  await appendFile(lines, `${JSON.stringify({ ...sampleRollout({ id: "g#1" }), tokensEnd: 0 })}\n{"id":"torn`);
  const index = new RolloutIndex(run.directory, () => 0);
  await index.refresh();
  expect(index.newestFirst().map(({ id }) => id)).toEqual(["g#1", "g#0"]);
});

test("filters and orders", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  const failed = {
    failure: { boundary: "tool", code: "x", message: "broke", isRetryable: false },
    stop: { type: "failed" },
  } as const;
  await writeRollouts(run, 1, [
    sampleRollout({ id: "a#0", reward: 0.5 }),
    sampleRollout({ id: "b#0", reward: null, change: failed }),
    sampleRollout({ id: "c#0", reward: 0.9, change: { env: "other", truncated: true } }),
    sampleRollout({ id: "d#0", reward: 0 }),
  ]);
  const index = new RolloutIndex(run.directory, () => 0);
  await index.refresh();
  const ids = async (change: Partial<RolloutQuery>): Promise<string> => {
    const { items } = await queryRollouts(run.directory, index, { ...everything, ...change }, limits);
    return items.map(({ group }) => group).join("");
  };
  expect(await ids({ sort: "oldest" })).toBe("abcd");
  expect(await ids({ sort: "-reward" })).toBe("cadb");
  expect(await ids({ sort: "reward" })).toBe("dacb");
  expect(await ids({ filter: { kind: "failed" } })).toBe("b");
  expect(await ids({ filter: { kind: "unrewarded" } })).toBe("db");
  expect(await ids({ filter: { kind: "truncated" } })).toBe("c");
  expect(await ids({ filter: { env: "words", stop: "answered" } })).toBe("da");
  expect(await ids({ limit: 2, offset: 1, sort: "oldest" })).toBe("bc");
});

test("a search finds what was said, whatever its case, quotes and lines, and nothing that was not", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  await writeRollouts(run, 1, [
    sampleRollout({ id: "a#0", reply: 'The "Golden\nKey" is here, Ünïcode too.' }),
    sampleRollout({ id: "b#0", reply: "nothing" }),
    sampleRollout({
      id: "c#0",
      messages: [
        { role: "user", content: [{ type: "text", text: "in parts" }] },
        {
          role: "assistant",
          content: "",
          reasoning: "secretly",
          toolCalls: [{ id: "1", name: "look", arguments: '{"at":"door"}' }],
        },
      ],
    }),
  ]);
  const index = new RolloutIndex(run.directory, () => 0);
  await index.refresh();
  const found = async (search: string): Promise<string> => {
    const { items } = await queryRollouts(run.directory, index, { ...everything, search, sort: "oldest" }, limits);
    return items.map(({ group }) => group).join("");
  };
  expect(await found('"golden\nkey"')).toBe("a");
  expect(await found("ünïCODE")).toBe("a");
  expect(await found("IN PARTS")).toBe("c");
  expect(await found("secretly")).toBe("c");
  expect(await found('"door"')).toBe("c");
  expect(await found("sampledFrom")).toBe("");
  expect(await found("taskHash")).toBe("");
});

test("a search that takes long answers with what it has and says where to go on", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  await writeRollouts(
    run,
    1,
    Array.from({ length: 300 }, (_, n) => sampleRollout({ id: `g#${n}`, reply: n % 100 === 99 ? "needle" : "hay" })),
  );
  const index = new RolloutIndex(run.directory, () => 0);
  await index.refresh();
  let clock = 0;
  const slow = { searchMs: 1, now: () => clock++ };
  const seen: string[] = [];
  let requests = 0;
  for (let offset: number | null = 0; offset !== null; requests++) {
    const page = await queryRollouts(
      run.directory,
      index,
      { ...everything, sort: "oldest", search: "needle", offset },
      slow,
    );
    seen.push(...page.items.map(({ id }) => id));
    offset = page.next;
  }
  expect(seen).toEqual(["g#99", "g#199", "g#299"]);
  expect(requests).toBeGreaterThan(1);
});

test("a search goes through files in any order of the list, reads what is far apart by itself, and passes over files that are gone", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  const said = (id: string, reward: number, reply: string) => sampleRollout({ id, reward, reply });
  await writeRollouts(run, 1, [
    said("a#0", 0.3, "needle"),
    said("b#0", 1, "x".repeat(200_000)),
    said("c#0", 0.1, "needle"),
  ]);
  await writeRollouts(run, 2, [said("d#0", 0.2, "Needle"), said("e#0", 0.4, "hay")]);
  await writeRollouts(run, 3, [said("f#0", 0.9, "needle")]);
  const index = new RolloutIndex(run.directory, () => 0);
  await index.refresh();
  await rm(rolloutPaths(run.directory, 3).lines);
  const order = ["c#0", "d#0", "a#0", "e#0", "f#0"].map((id) => index.newestFirst().find((one) => one.id === id)!);
  const scan = (from: number, by: 1 | -1, limit = 9) =>
    scanRollouts(run.directory, order, { from, by, limit, needle: "needle" }, limits);
  const { hits, next } = await scan(0, 1);
  expect([hits.map(({ rollout }) => rollout.id), next]).toEqual([["c#0", "d#0", "a#0"], 5]);
  expect(await scan(4, -1, 1)).toMatchObject({ hits: [{ rollout: { id: "a#0" } }], next: 1 });
});

test("one rollout comes with its group, its neighbours and its task", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  await writeRollouts(run, 3, [
    sampleRollout({ id: "g#0", reward: 0, tokens: true }),
    sampleRollout({ id: "g#1", reward: 1, tokens: true }),
    sampleRollout({ id: "h#0", tokens: true }),
  ]);
  const index = new RolloutIndex(run.directory, () => 0);
  const context = { task: () => ({ id: "t" }), gold: () => ["yes"], outcome: () => "trained" };
  const detail = await readRollout(run.directory, { index, step: 3, id: "g#1" }, context);
  expect(detail.group.map(({ id }) => id)).toEqual(["g#1", "g#0"]);
  expect(detail).toMatchObject({
    previous: { id: "g#0" },
    next: { id: "h#0" },
    task: { id: "t" },
    gold: ["yes"],
    outcome: "trained",
  });
  const missing = readRollout(run.directory, { index, step: 3, id: "nobody" }, context);
  await expect(missing).rejects.toMatchObject({ code: "no-rollout" });
});

test("where the file of a step ends, the next step's goes on", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  await writeRollouts(run, 1, [sampleRollout({ id: "a#0" }), sampleRollout({ id: "a#1" })]);
  await writeRollouts(run, 4, [sampleRollout({ id: "b#0" })]);
  await writeRollouts(run, 9, [sampleRollout({ id: "c#0" })]);
  const index = new RolloutIndex(run.directory, () => 0);
  const around = async (step: number, id: string) => {
    const { previous, next } = await readRollout(run.directory, { index, step, id }, nothingKnown);
    return [previous, next];
  };
  expect(await around(4, "b#0")).toEqual([
    { step: 1, id: "a#1" },
    { step: 9, id: "c#0" },
  ]);
  expect(await around(1, "a#0")).toEqual([null, { step: 1, id: "a#1" }]);
  expect(await around(9, "c#0")).toEqual([{ step: 4, id: "b#0" }, null]);
});

test("neighbours in a list follow its order, its filters and its search", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  await writeRollouts(run, 1, [
    sampleRollout({ id: "a#0", reward: 0.1, reply: "needle" }),
    sampleRollout({ id: "b#0", reward: 0.9 }),
    sampleRollout({ id: "c#0", reward: 0.5, reply: "needle" }),
  ]);
  await writeRollouts(run, 2, [sampleRollout({ id: "d#0", reward: 0.7, reply: "needle" })]);
  const index = new RolloutIndex(run.directory, () => 0);
  await index.refresh();
  const around = async (id: string, change: Partial<RolloutQuery>) => {
    const found = await neighboursOf(run.directory, index, { step: 1, id }, { ...everything, ...change }, limits);
    return [found.previous?.id, found.next?.id, found.position, found.total];
  };
  expect(await around("c#0", {})).toEqual(["d#0", "b#0", 2, 4]);
  expect(await around("c#0", { sort: "-reward" })).toEqual(["d#0", "a#0", 3, 4]);
  expect(await around("c#0", { search: "needle", sort: "oldest" })).toEqual(["a#0", "d#0", 3, 4]);
  expect(await around("c#0", { filter: { step: 1 } })).toEqual([undefined, "b#0", 1, 3]);
  expect(await around("c#0", { filter: { step: 2 } })).toEqual([undefined, undefined, null, 1]);
});

test("of a very long text the beginning is sent, and the whole when it is asked for", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  const long = "x".repeat(3_000_000);
  await writeRollouts(run, 1, [sampleRollout({ id: "g#0", reply: long })]);
  const index = new RolloutIndex(run.directory, () => 0);
  const place = { index, step: 1, id: "g#0" };
  const detail = await readRollout(run.directory, place, nothingKnown);
  expect(detail.cuts).toEqual({ "nodes/1/message/content": 3_000_000 });
  expect(JSON.stringify(detail).length).toBeLessThan(60_000);
  expect(await readText(run.directory, place, "nodes/1/message/content", nothingKnown)).toBe(long);
  for (const nowhere of [
    "nodes/1/message",
    "nodes/9/message/content",
    "__proto__/toString",
    "",
    "nodes/1/message/content/0",
  ]) {
    expect(await readText(run.directory, place, nowhere, nothingKnown)).toBeUndefined();
  }
});
