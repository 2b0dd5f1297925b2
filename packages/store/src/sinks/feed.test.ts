import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { temporaryFolder } from "../testing/temporary.ts";
import { Feed } from "./feed.ts";

const lines = (steps: readonly number[], env?: string): string =>
  steps.map((step) => `${JSON.stringify({ step, ...(env === undefined ? {} : { env }), x: step })}\n`).join("");

async function newFeed(text: string, fromByte = 0): Promise<{ path: string; feed: Feed; bad: string[] }> {
  const path = join(await temporaryFolder(), "updates.jsonl");
  const bad: string[] = [];
  await writeFile(path, text);
  const onBadRow = ({ message }: { message: string }): number => bad.push(message);
  return { path, bad, feed: new Feed({ path, stream: "updates", fromByte, onBadRow }) };
}

async function drain(feed: Feed): Promise<string[]> {
  const steps: string[] = [];
  for (let batch = await feed.next(); batch !== undefined; batch = await feed.next()) {
    steps.push(...batch.points.map(({ step, isRewind }) => `${step}${isRewind ? " back" : ""}`));
  }
  return steps;
}

test("rows come once, new ones as they are appended, a torn line when it is whole", async () => {
  const { path, feed } = await newFeed(lines([1, 2]));
  expect(await drain(feed)).toEqual(["1", "2"]);
  await appendFile(path, '{"step":3,');
  expect(await feed.next()).toBeUndefined();
  await appendFile(path, '"x":3}\n');
  expect(await drain(feed)).toEqual(["3"]);
});

test("rows that the file itself supersedes are not sent", async () => {
  const { feed } = await newFeed(lines([1, 2, 3, 4]) + lines([3, 4, 5]) + lines([5, 6]));
  expect(await drain(feed)).toEqual(["1", "2", "3", "4", "5", "6"]);
});

test("a run that goes back after its steps were sent says so", async () => {
  const { path, feed } = await newFeed(lines([1, 2, 3]));
  await drain(feed);
  await appendFile(path, lines([2, 3, 4]));
  expect(await drain(feed)).toEqual(["2 back", "3", "4"]);
});

test("one that continues knows how far its series had come", async () => {
  const sent = lines([1, 2, 3]);
  const { feed } = await newFeed(sent + lines([3, 4]), sent.length);
  expect(await drain(feed)).toEqual(["3 back", "4"]);
});

test("evaluations of several environments share their steps without superseding each other", async () => {
  const { path, feed } = await newFeed(lines([0, 2], "a") + lines([2], "b"));
  expect(await drain(feed)).toEqual(["0", "2", "2"]);
  await appendFile(path, lines([2], "a") + lines([2], "b"));
  expect(await drain(feed)).toEqual(["2 back", "2"]);
});

test("a batch is repeated as it was, whatever has superseded it since", async () => {
  const before = lines([1, 2, 3, 2, 3, 4]);
  const first = await newFeed(before);
  const begun = await first.feed.next();
  expect(begun?.points.map(({ step }) => step)).toEqual([1, 2, 3, 4]);
  const { feed } = await newFeed(before + lines([3, 4]));
  expect(await feed.repeat(begun?.nextByte ?? 0, begun?.seenByte ?? 0)).toEqual(begun);
  expect(await drain(feed)).toEqual(["3 back", "4"]);
});

test("a malformed row is reported and passed over; a file that starts anew is read from its beginning", async () => {
  const { path, feed, bad } = await newFeed(`{"step":"x"}\n${lines([7])}`);
  expect(await drain(feed)).toEqual(["7"]);
  expect(bad).toHaveLength(1);
  await writeFile(path, lines([1]));
  expect(await drain(feed)).toEqual(["1"]);
});

test("what is missing is counted", async () => {
  const { feed } = await newFeed(lines([1, 2, 3]));
  expect(await feed.countFrom(lines([1]).length)).toBe(2);
});

test("whatever the restarts, what is sent of a whole file is its surviving steps, ascending", async () => {
  const restart = fc.tuple(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 1, max: 8 }));
  await fc.assert(
    fc.asyncProperty(fc.array(restart, { minLength: 1, maxLength: 5 }), async (lives) => {
      let done = 0;
      const written: number[] = [];
      for (const [checkpoint, updates] of lives) {
        const start = Math.min(checkpoint, done);
        for (let step = start + 1; step <= start + updates; step++) written.push(step);
        done = start + updates;
      }
      const { feed } = await newFeed(lines(written));
      expect(await drain(feed)).toEqual(Array.from({ length: done }, (_unused, index) => String(index + 1)));
    }),
    { numRuns: 30 },
  );
});
