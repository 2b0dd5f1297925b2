import { writeFile } from "node:fs/promises";
import { runPaths } from "@hone/store";
import { expect, test } from "vitest";
import { sampleRoot, sampleRun } from "../testing/sample-run.ts";
import { type FeedEvent, follow, type RunFeed } from "./feed.ts";
import { RunView } from "./run-view.ts";

const feedOf = (folder: string): RunFeed => new RunView(folder, "runs", Date.now).feed;

/** Rows only: what the run does is told too, at times of its own. */
async function take(
  source: AsyncGenerator<readonly FeedEvent[]>,
  count: number,
  wanted = /updates|evals|events|reload/,
): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  while (events.length < count) {
    const { value, done } = await source.next();
    if (done === true) break;
    events.push(...value.filter(({ event }) => wanted.test(event)));
  }
  return events;
}
const brief = (events: readonly FeedEvent[]): string[] =>
  events.map(({ event, data }) => (data === "" ? event : `${event} ${(JSON.parse(data) as { step: number }).step}`));

test("rows come as they are written, and a watcher that comes back goes on where it was", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  await run.append("updates", { step: 1, "reward/mean": 0.5 });
  const stop = new AbortController();
  const watcher = follow(feedOf(run.directory), "", stop.signal);
  const first = await take(watcher, 1);
  expect(brief(first)).toEqual(["updates 1"]);
  const waiting = take(watcher, 2);
  await run.append("updates", { step: 2 });
  await run.append("evals", { step: 2, env: "words" });
  const [second] = await waiting;
  stop.abort();
  await watcher.return(undefined);
  const again = follow(feedOf(run.directory), second?.id ?? "", new AbortController().signal);
  await run.append("updates", { step: 3 });
  expect(brief(await take(again, 2)).sort()).toEqual(["evals 2", "updates 3"]);
  await again.return(undefined);
});

test("watchers at different places of one feed each get every row once, in order", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  const feed = feedOf(run.directory);
  const { signal } = new AbortController();
  for (let step = 1; step <= 20; step++) await run.append("updates", { step });
  const early = follow(feed, "", signal);
  const seen = await take(early, 20);
  const late = follow(feed, seen[9]?.id ?? "", signal);
  const afresh = follow(feed, "", signal);
  const all = Promise.all([take(early, 15), take(late, 25), take(afresh, 35)]);
  for (let step = 21; step <= 35; step++) await run.append("updates", { step });
  const steps = (from: number): string[] => Array.from({ length: 36 - from }, (_, at) => `updates ${from + at}`);
  expect((await all).map(brief)).toEqual([steps(21), steps(11), steps(1)]);
  for (const one of [early, late, afresh]) await one.return(undefined);
});

test("a file that was replaced is told of, and comes anew", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  for (let step = 1; step <= 5; step++) await run.append("updates", { step });
  const watcher = follow(feedOf(run.directory), "", new AbortController().signal);
  await take(watcher, 5);
  const waiting = take(watcher, 2);
  await writeFile(runPaths(run.directory).streams.updates, '{"step":1}\n');
  expect(brief(await waiting)).toEqual(["reload", "updates 1"]);
  await watcher.return(undefined);
});

test("what the run does is told at first and when it changes", async () => {
  await using root = await sampleRoot();
  const run = await sampleRun(root, "a");
  const watcher = follow(feedOf(run.directory), "", new AbortController().signal);
  const state = async (): Promise<unknown> => {
    const [event] = await take(watcher, 1, /^run$/);
    return (JSON.parse(event?.data ?? "{}") as { state?: unknown }).state;
  };
  expect(await state()).toBe("running");
  await writeFile(runPaths(run.directory).stop, "");
  expect(await state()).toBe("stopping");
  await watcher.return(undefined);
  await run.close();
});

test("it ends when it is told to, and leaves nothing running", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  const stop = new AbortController();
  const feed = feedOf(run.directory);
  const events = take(follow(feed, "nonsense", stop.signal), 1);
  expect(feed.isWatched).toBe(true);
  stop.abort();
  expect(await events).toEqual([]);
  expect(feed.isWatched).toBe(false);
});
