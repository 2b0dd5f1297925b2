import * as fc from "fast-check";
import { expect, test } from "vitest";
import { rejection } from "./testing/temporary.ts";
import { TextBatch, writeBytes, WriteQueue } from "./write-queue.ts";

test("what is asked for in one turn, or during a write, is written together and in order", async () => {
  const writes: string[][] = [];
  let gathered: string[] = [];
  const queue = new WriteQueue(async () => {
    writes.push(gathered);
    gathered = [];
    await new Promise((resolve) => setImmediate(resolve));
  });
  const put = (row: string): Promise<void> => {
    gathered.push(row);
    return queue.request(false);
  };
  const first = put("a");
  expect(put("b")).toBe(first);
  const during = new Promise<void>((resolve) => setImmediate(resolve)).then(() => Promise.all([put("c"), put("d")]));
  await first;
  await during;
  expect(writes).toEqual([
    ["a", "b"],
    ["c", "d"],
  ]);
});

test("a full batch is written at once", async () => {
  let writes = 0;
  const queue = new WriteQueue(async () => void writes++);
  const written = queue.request(true);
  expect(writes).toBe(1);
  await written;
  await queue.drained();
  expect(writes).toBe(1);
});

test("a failed write rejects what waits and what comes later", async () => {
  const problem = new Error("full");
  const queue = new WriteQueue(async () => {
    await Promise.resolve();
    throw problem;
  });
  const writing = queue.request(true);
  const waiting = queue.request(false);
  expect(await rejection(writing)).toBe(problem);
  expect(await rejection(waiting)).toBe(problem);
  expect(await rejection(queue.failed ?? Promise.resolve())).toBe(problem);
  expect(await rejection(queue.drained())).toBe(problem);
});

test("lines become bytes unchanged, whatever their length and alphabet, also in reused pieces", () => {
  const batch = new TextBatch();
  const line = fc.oneof(
    { weight: 8, arbitrary: fc.string({ unit: "binary" }) },
    { weight: 1, arbitrary: fc.nat({ max: 2 * writeBytes }).map((length) => "\u20ac".repeat(length)) },
    { weight: 1, arbitrary: fc.nat({ max: writeBytes }).map((length) => "x".repeat(length)) },
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      for (const text of lines) batch.put(text);
      const pieces = batch.take();
      const whole = Buffer.concat(pieces).toString("utf8");
      batch.recycle(pieces);
      expect(whole === lines.map((text) => `${text}\n`).join("")).toBe(true);
    }),
    {
      numRuns: 30,
      examples: [
        [["a", "\u20ac".repeat(writeBytes), "b", "x".repeat(writeBytes - 3), "c"]],
        [["x".repeat(writeBytes / 3), "y".repeat(writeBytes / 3), "z"]],
      ],
    },
  );
});
