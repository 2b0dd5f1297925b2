import { appendFile } from "node:fs/promises";
import { runPaths } from "@hone/store";
import { expect, test } from "vitest";
import { sampleRoot, sampleRun } from "../testing/sample-run.ts";
import { levelOf, type LogQuery, searchLog } from "./search-log.ts";

const all: LogQuery = { limit: 100, level: "info", search: "" };
const limits = { searchMs: 1000, now: () => 0 };

test("a log is read from its end, by level and by what it says, and goes on where it was left", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  const path = runPaths(run.directory).streams.events;
  // Long enough for several chunks, with lines that lie across their borders.
  for (let number = 0; number < 60; number++) {
    const type = number % 10 === 3 ? "update-reject" : number === 42 ? "run-fail" : "note-taken";
    await run.append("events", { type, atMs: number, detail: { number, text: `Line ${number} ${"é".repeat(9000)}` } });
  }
  await appendFile(path, '{"type":"torn');
  const read = (change: Partial<LogQuery>) => searchLog(run.directory, path, { ...all, ...change }, limits);
  const seen: number[] = [];
  for (let before: number | null | undefined; before !== null;) {
    const page = await read({ limit: 7, ...(before === undefined ? {} : { before }) });
    seen.push(...page.items.map(({ atMs }) => atMs));
    before = page.next;
  }
  expect(seen).toEqual(Array.from({ length: 60 }, (_, index) => 59 - index));
  expect((await read({ level: "warning" })).items.map(({ atMs }) => atMs)).toEqual([53, 43, 42, 33, 23, 13, 3]);
  expect((await read({ level: "error" })).items.map(({ type }) => type)).toEqual(["run-fail"]);
  expect((await read({ search: "LINE 17 " })).items.map(({ atMs }) => atMs)).toEqual([17]);
  let clock = 0;
  const slow = { searchMs: 1, now: () => clock++ };
  const short = await searchLog(run.directory, path, { ...all, search: "Line 0 " }, slow);
  expect([short.items.length, short.next === null]).toEqual([0, false]);
});

test("a run without a log has none", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  const path = runPaths(run.directory).streams.evals;
  expect(await searchLog(run.directory, path, all, limits)).toEqual({ items: [], next: null });
});

test("how serious an event is, by its name unless it says so itself", () => {
  expect(
    ["run-start", "update-reject", "rollout-retry", "stall", "run-fail"].map((type) => levelOf(type, null)),
  ).toEqual(["info", "warning", "warning", "warning", "error"]);
  expect(levelOf("run-start", { level: "error" })).toBe("error");
});
