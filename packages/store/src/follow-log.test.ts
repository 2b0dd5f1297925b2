import { appendFile, mkdir, rename, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { followLog } from "./follow-log.ts";
import { temporaryFolder } from "./testing/temporary.ts";

interface Follower {
  next(): Promise<unknown>;
  readonly end: () => void;
}

function follow(path: string, options: { readonly fromByte?: number; readonly pollMs?: number } = {}): Follower {
  const controller = new AbortController();
  const rows = followLog(path, { pollMs: 10, ...options, signal: controller.signal });
  return {
    next: async () => {
      const { value, done } = await rows.next();
      return done === true ? "ended" : value.value;
    },
    end: () => controller.abort(),
  };
}

test("what is there comes first, then what is appended, until it is ended", async () => {
  const path = join(await temporaryFolder(), "rows.jsonl");
  await writeFile(path, "1\n2\n");
  const rows = follow(path);
  expect([await rows.next(), await rows.next()]).toEqual([1, 2]);
  const coming = rows.next();
  await appendFile(path, "3\n");
  expect(await coming).toBe(3);
  const last = rows.next();
  rows.end();
  expect(await last).toBe("ended");
});

test("an event of the file system is enough", async () => {
  const path = join(await temporaryFolder(), "rows.jsonl");
  await writeFile(path, "1\n");
  const rows = follow(path, { pollMs: 3_600_000 });
  expect(await rows.next()).toBe(1);
  const coming = rows.next();
  await appendFile(path, "2\n");
  expect(await coming).toBe(2);
  rows.end();
});

test("the file and its folder may come later", async () => {
  const folder = join(await temporaryFolder(), "later");
  const rows = follow(join(folder, "rows.jsonl"));
  const coming = rows.next();
  await mkdir(folder);
  await writeFile(join(folder, "rows.jsonl"), "1\n");
  expect(await coming).toBe(1);
  rows.end();
});

test("half a line is not a row, and what replaces a cut one is never joined to it", async () => {
  const path = join(await temporaryFolder(), "rows.jsonl");
  await writeFile(path, '1\n{"torn":');
  const rows = follow(path);
  expect(await rows.next()).toBe(1);
  const coming = rows.next();
  await new Promise((resolve) => setTimeout(resolve, 30));
  await truncate(path, 2);
  await appendFile(path, '{"whole":true}\n');
  expect(await coming).toEqual({ whole: true });
  rows.end();
});

test("a file that starts again is read from its beginning", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "rows.jsonl");
  await writeFile(path, "1\n2\n");
  const rows = follow(path);
  expect([await rows.next(), await rows.next()]).toEqual([1, 2]);
  await writeFile(join(folder, "new"), "3\n4\n5\n");
  await rename(join(folder, "new"), path);
  expect([await rows.next(), await rows.next(), await rows.next()]).toEqual([3, 4, 5]);
  await writeFile(path, "6\n");
  expect(await rows.next()).toBe(6);
  rows.end();
});

test("a follower goes on where another stopped", async () => {
  const path = join(await temporaryFolder(), "rows.jsonl");
  await writeFile(path, "1\n2\n");
  const rows = follow(path, { fromByte: 2 });
  expect(await rows.next()).toBe(2);
  rows.end();
});

test("rows are checked against the schema, and bad ones may be reported", async () => {
  const path = join(await temporaryFolder(), "rows.jsonl");
  await writeFile(path, '"no"\n7\n');
  const controller = new AbortController();
  const problems: number[] = [];
  const options = { schema: z.number(), onBadRow: ({ line }: { line: number }) => problems.push(line) };
  for await (const row of followLog(path, { ...options, signal: controller.signal })) {
    expect(row).toEqual({ value: 7, line: 2, byte: 5, nextByte: 7 });
    controller.abort();
  }
  expect(problems).toEqual([1]);
});

test("one that is ended before it begins has no rows", async () => {
  const path = join(await temporaryFolder(), "rows.jsonl");
  await writeFile(path, "1\n");
  const rows = follow(path);
  rows.end();
  expect(await rows.next()).toBe("ended");
});
