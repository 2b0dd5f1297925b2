import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { type BadRow, readLog } from "./read-log.ts";
import { collect, rejection, temporaryFolder } from "./testing/temporary.ts";

async function fileOf(text: string): Promise<string> {
  const path = join(await temporaryFolder(), "rows.jsonl");
  await writeFile(path, text);
  return path;
}

const Row = z.strictObject({ step: z.int() });

test("a missing file has no rows", async () => {
  expect(await collect(readLog(join(await temporaryFolder(), "none.jsonl")))).toEqual([]);
});

test("rows come with their line and byte", async () => {
  const path = await fileOf('{"step":1}\n\n{"step":2}\n');
  expect(await collect(readLog(path, Row))).toEqual([
    { value: { step: 1 }, line: 1, byte: 0, nextByte: 11 },
    { value: { step: 2 }, line: 3, byte: 12, nextByte: 23 },
  ]);
});

test("a torn last line is dropped at every length", async () => {
  const text = '{"step":1}\n{"step":22}\n';
  for (let end = 0; end <= text.length; end++) {
    const rows = await collect(readLog(await fileOf(text.slice(0, end)), Row));
    expect(rows.map((row) => row.value.step)).toEqual([1, 22].slice(0, text.slice(0, end).split("\n").length - 1));
  }
});

test("a malformed row is an error with its file and line, and says what to do", async () => {
  const path = await fileOf('{"step":1}\n{"step":\n{"step":3}\n');
  expect(await rejection(collect(readLog(path, Row)))).toMatchObject({
    code: "bad-row",
    message: expect.stringContaining(`${path}:2: `),
    hint: expect.stringContaining("line 2"),
    at: { file: path, line: 2, text: '{"step":' },
  });
});

test("a row that does not fit the schema names the field", async () => {
  const path = await fileOf('{"step":"one"}\n');
  expect(await rejection(collect(readLog(path, Row)))).toMatchObject({
    message: expect.stringContaining(`${path}:1: step: `),
  });
});

test("a malformed row can be reported instead, the rest unharmed", async () => {
  const path = await fileOf('{"step":1}\nnonsense\n{"pets":1}\n{"step":4}\n');
  const problems: BadRow[] = [];
  const rows = await collect(readLog(path, Row, { onBadRow: (problem) => problems.push(problem) }));
  expect(rows.map(({ value, line }) => [value.step, line])).toEqual([
    [1, 1],
    [4, 4],
  ]);
  expect(problems).toEqual([
    { path, line: 2, byte: 11, message: expect.stringContaining("JSON") },
    { path, line: 3, byte: 20, message: expect.stringContaining("step") },
  ]);
});

test("reading can stop early", async () => {
  const path = await fileOf("1\n2\n3\n");
  for await (const row of readLog(path)) {
    expect(row.value).toBe(1);
    break;
  }
});

test("a folder in place of the file is a disk error", async () => {
  expect(await rejection(collect(readLog(await temporaryFolder())))).toMatchObject({ code: "disk" });
});
