import { expect, test } from "vitest";
import { sampleRoot, sampleRun } from "../testing/sample-run.ts";
import { type FeedEvent, follow, Pulse } from "./feed.ts";

async function take(source: AsyncGenerator<FeedEvent>, count: number): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  while (events.length < count) {
    const { value, done } = await source.next();
    if (done === true) break;
    events.push(value);
  }
  return events;
}
const brief = (events: readonly FeedEvent[]): string[] =>
  events.map(({ event, data }) => `${event} ${(JSON.parse(data) as { step: number }).step}`);

test("rows come as they are written, and a watcher that comes back goes on where it was", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  await run.append("updates", { step: 1, "reward/mean": 0.5 });
  const stop = new AbortController();
  const pulse = new Pulse(run.directory);
  const watcher = follow(run.directory, pulse, "", stop.signal);
  const first = await take(watcher, 1);
  expect(brief(first)).toEqual(["updates 1"]);
  const waiting = take(watcher, 2);
  await run.append("updates", { step: 2 });
  await run.append("evals", { step: 2, env: "words" });
  const [second] = await waiting;
  stop.abort();
  await watcher.return(undefined);
  const again = follow(run.directory, new Pulse(run.directory), second?.id ?? "", new AbortController().signal);
  await run.append("updates", { step: 3 });
  expect(brief(await take(again, 2)).sort()).toEqual(["evals 2", "updates 3"]);
  await again.return(undefined);
});

test("it ends when it is told to, and leaves nothing running", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  const stop = new AbortController();
  const events = take(follow(run.directory, new Pulse(run.directory), "nonsense", stop.signal), 1);
  stop.abort();
  expect(await events).toEqual([]);
});
