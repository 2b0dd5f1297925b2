// Test helpers: a folder that goes away with its test, and a stream as an array.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export async function temporaryFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "hone-store-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** What a promise was rejected with; undefined when it was not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}
