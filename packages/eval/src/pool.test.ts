import { expect, test } from "vitest";
import { forEachConcurrent } from "./pool.ts";

async function* upTo(count: number, seen?: { closed: boolean }): AsyncGenerator<number> {
  try {
    for (let item = 0; item < count; item++) yield item;
  } finally {
    if (seen !== undefined) seen.closed = true;
  }
}
const pause = (ms = 1): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const calm = { limit: 3, graceMs: 1_000, signal: new AbortController().signal };

test("every item is worked on once, at most `limit` at a time", async () => {
  const done: number[] = [];
  let running = 0;
  let most = 0;
  const work = async (item: number): Promise<boolean> => {
    most = Math.max(most, ++running);
    await pause();
    running--;
    return done.push(item) > 0;
  };
  expect(await forEachConcurrent(upTo(20), work, calm)).toBe(true);
  expect(done.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => at));
  expect(most).toBe(3);
});

test("after an error nothing new starts, what is under way ends, and the error comes out", async () => {
  const started: number[] = [];
  const ended: number[] = [];
  const source = { closed: false };
  const work = async (item: number): Promise<boolean> => {
    started.push(item);
    await pause(item === 1 ? 1 : 5);
    if (item === 1) throw new Error("disk full");
    return ended.push(item) > 0;
  };
  await expect(forEachConcurrent(upTo(100, source), work, calm)).rejects.toThrow("disk full");
  expect(started).toEqual([0, 1, 2]);
  expect(ended).toEqual([0, 2]);
  await pause();
  expect(source.closed).toBe(true);
});

test("a source that fails lets the work under way end", async () => {
  const ended: number[] = [];
  async function* broken(): AsyncGenerator<number> {
    yield 0;
    throw new Error("tasks.jsonl:7 is malformed");
  }
  const work = async (item: number): Promise<boolean> => {
    await pause(3);
    return ended.push(item) > 0;
  };
  await expect(forEachConcurrent(broken(), work, calm)).rejects.toThrow("tasks.jsonl:7");
  expect(ended).toEqual([0]);
});

test("work that was cut short makes the whole incomplete", async () => {
  expect(await forEachConcurrent(upTo(3), (item) => Promise.resolve(item !== 1), calm)).toBe(false);
});

test("after an abort the grace period ends the wait", async () => {
  const controller = new AbortController();
  const work = (): Promise<boolean> => {
    controller.abort();
    return new Promise(() => undefined);
  };
  expect(await forEachConcurrent(upTo(3), work, { limit: 1, graceMs: 2, signal: controller.signal })).toBe(false);
});
