import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { HoneError, type Taskset } from "@hone/core";
import * as fc from "fast-check";
import { parquetWriteBuffer } from "hyparquet-writer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { fromJsonl, fromParquet } from "./from-files.ts";
import { readLines } from "./read-lines.ts";
import { readParquet } from "./read-parquet.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "hone-data-"));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

let files = 0;
function fileOf(content: string | Uint8Array, ending = "jsonl"): string {
  const path = join(directory, `${files++}.${ending}`);
  writeFileSync(path, content);
  return path;
}
async function read<Fields>(taskset: Taskset<Fields>): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for await (const { id: _id, ...fields } of taskset) rows.push(fields);
  return rows;
}
async function errorOf(work: Promise<unknown>): Promise<HoneError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!HoneError.is(error)) throw new Error(`no HoneError: ${String(error)}`);
  return error;
}
const Problem = z.object({ question: z.string(), answer: z.string() });

describe("JSONL", () => {
  test("a row per line becomes a task, as often as it is read, from a path or a URL", async () => {
    const path = fileOf('{"question":"1+1","answer":"2"}\n{"question":"1+2","answer":"3"}\n');
    const tasks = fromJsonl(pathToFileURL(path), Problem);
    expect(await read(tasks)).toEqual([
      { question: "1+1", answer: "2" },
      { question: "1+2", answer: "3" },
    ]);
    expect(await read(tasks)).toHaveLength(2);
    expect(await read(fromJsonl(path).head(1))).toHaveLength(1);
  });

  test("a row keeps its id although the schema does not mention it", async () => {
    const tasks = fromJsonl(fileOf('{"id":7,"question":"a","answer":"b","more":1}\n'), Problem);
    for await (const task of tasks) expect(task).toEqual({ id: "7", question: "a", answer: "b" });
    expect(await read(tasks)).toHaveLength(1);
  });

  test("byte order mark, CRLF, blank lines and a last line without an end do no harm", async () => {
    const path = fileOf('\ufeff{"n":1}\r\n\r\n  \n{"n":2}');
    expect(await read(fromJsonl(path))).toEqual([{ n: 1 }, { n: 2 }]);
  });

  test("gzip is recognised by its bytes, whatever the name", async () => {
    const content = gzipSync('{"n":1}\n{"n":2}\n');
    expect(await read(fromJsonl(fileOf(content, "jsonl.gz")))).toEqual([{ n: 1 }, { n: 2 }]);
    expect(await read(fromJsonl(fileOf(content, "jsonl")))).toEqual([{ n: 1 }, { n: 2 }]);
  });

  test("a file named .json may hold a list, or a row per line", async () => {
    expect(await read(fromJsonl(fileOf('\ufeff\n[{"n":1},\n{"n":2}]', "json")))).toEqual([{ n: 1 }, { n: 2 }]);
    expect(await read(fromJsonl(fileOf('{"n":1}\n{"n":2}', "json")))).toEqual([{ n: 1 }, { n: 2 }]);
    const bad = await errorOf(read(fromJsonl(fileOf('[{"n":1},3]', "json"))));
    expect(bad.message).toContain(".json, row 1: a row must be an object");
  });

  test("whatever JSON holds comes back, through any chunking and line ending", async () => {
    const row = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue()).map((value) => {
      const { id: _id, ...rest } = JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
      return rest;
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 5 }), fc.constantFrom("\n", "\r\n"), async (rows, ending) => {
        const path = fileOf(rows.map((value) => JSON.stringify(value)).join(ending));
        expect(JSON.stringify(await read(fromJsonl(path)))).toBe(JSON.stringify(rows));
      }),
      { numRuns: 30 },
    );
  });
});

describe("a bad row", () => {
  test("is named with file, line, column and reason", async () => {
    const path = fileOf('{"n":1}\n\n{"n":2,,}\n{"n":3}\n');
    const error = await errorOf(read(fromJsonl(path)));
    expect(error.message).toContain(`${path}:3: not valid JSON`);
    expect(error.at).toMatchObject({ file: path, line: 3, text: '{"n":2,,}' });
    expect(error.hint).toContain("onBadRow");
  });

  test("leaves the rest unharmed where it is only reported, once each", async () => {
    const path = fileOf('{"n":1}\nnonsense\n[1]\n{"n":"two"}\n{"n":3}\n');
    const problems: string[] = [];
    const tasks = fromJsonl(path, z.object({ n: z.number() }), { onBadRow: ({ message }) => problems.push(message) });
    expect(await read(tasks)).toEqual([{ n: 1 }, { n: 3 }]);
    expect(await read(tasks)).toEqual([{ n: 1 }, { n: 3 }]);
    expect(problems.map((message) => message.slice(path.length, path.length + 3))).toEqual([":2:", ":3:", ":4:"]);
  });

  test("without a field is named with the field and what it has instead, before the first task is given", async () => {
    const path = fileOf('{"question":"a","answer":"b"}\n{"question":"c","anwser":"d"}\n');
    const given: unknown[] = [];
    const error = await errorOf(
      (async () => {
        for await (const task of fromJsonl(path, Problem)) given.push(task);
      })(),
    );
    expect(error.message).toBe(`${path}:2: field answer: missing; the row has question, anwser`);
    expect(given).toEqual([]);
  });

  test("with a field of the wrong kind says which, however deep", async () => {
    const schema = z.object({ steps: z.array(z.object({ text: z.string() })), n: z.number() });
    const error = await errorOf(read(fromJsonl(fileOf('{"steps":[{"text":1}],"n":"x"}'), schema)));
    expect(error.message).toMatch(/:1: field steps\.0\.text: .*string.* \(and 1 more\)$/);
  });

  test("that a schema turned into something that is not data is refused where it stands", async () => {
    const schema = z.object({ when: z.string().transform((text) => new Date(text)) });
    const error = await errorOf(read(fromJsonl(fileOf('{"when":"2026-01-01"}'), schema)));
    expect(error.message).toContain(":1: field when is not plain JSON data: a Date");
  });

  test("that is not UTF-8 is refused, not guessed at", async () => {
    const path = fileOf(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d, 0x0a]));
    expect((await errorOf(read(fromJsonl(path)))).message).toBe(`${path}:1: not UTF-8 text`);
  });

  test("that is too long is refused without being held, and the next one is read", async () => {
    const path = fileOf(`${"x".repeat(3 * 2 ** 20)}\n{"n":1}\n`);
    const lines = [];
    for await (const line of readLines(path, 2 ** 20)) lines.push(line);
    expect(lines).toEqual([
      { number: 1, reason: "a row of more than 1 MiB" },
      { number: 2, text: '{"n":1}' },
    ]);
  });
});

describe("a file", () => {
  test("that is missing is named, with what to do", async () => {
    const error = await errorOf(read(fromJsonl(join(directory, "none.jsonl"))));
    expect(error.message).toBe(`There is no file ${join(directory, "none.jsonl")}.`);
    expect(error.code).toBe("no-data-file");
  });

  test("whose gzip is cut is an error, not a short taskset", async () => {
    const whole = gzipSync(Array.from({ length: 500 }, (_, n) => JSON.stringify({ n, pad: Math.sin(n) })).join("\n"));
    const error = await errorOf(read(fromJsonl(fileOf(whole.subarray(0, -50), "jsonl.gz"))));
    expect(error.message).toContain("cannot be read: unexpected end of file");
  });

  test("elsewhere is not read over the network by accident", () => {
    expect(() => fromJsonl(new URL("https://example.com/a.jsonl"))).toThrow("not on this machine");
  });
});

describe("Parquet", () => {
  test("rows come in order across row groups, and values become JSON", async () => {
    const data = Array.from({ length: 250 }, (_, n) => n);
    const buffer = parquetWriteBuffer({
      rowGroupSize: 100,
      columnData: [
        { name: "n", data: data.map(BigInt), type: "INT64" },
        { name: "big", data: data.map((n) => BigInt(n) + 2n ** 60n), type: "INT64" },
        { name: "text", data: data.map(String), type: "STRING" },
        { name: "ratio", data: data.map((n) => (n === 3 ? Number.NaN : n / 2)), type: "DOUBLE" },
        { name: "when", data: data.map((n) => new Date(n * 1000)), type: "TIMESTAMP" },
        { name: "image", data: data.map((n) => new Uint8Array([255, n])), type: "BYTE_ARRAY" },
        { name: "nested", data: data.map((n) => ({ list: [n, null] })), type: "JSON" },
      ],
    });
    const rows = await read(fromParquet(fileOf(new Uint8Array(buffer), "parquet")));
    expect(rows.map((row) => row["n"])).toEqual(data);
    expect(rows[203]).toEqual({
      n: 203,
      big: (2n ** 60n + 203n).toString(),
      text: "203",
      ratio: 101.5,
      when: "1970-01-01T00:03:23.000Z",
      image: Buffer.from([255, 203]).toString("base64"),
      nested: { list: [203, null] },
    });
    expect(rows[3]?.["ratio"]).toBeNull();
  });

  test("a row that its schema refuses is named by file and row", async () => {
    const buffer = parquetWriteBuffer({ columnData: [{ name: "question", data: ["a"], type: "STRING" }] });
    const path = fileOf(new Uint8Array(buffer), "parquet");
    const error = await errorOf(read(fromParquet(path, Problem)));
    expect(error.message).toBe(`${path}, row 0: field answer: missing; the row has question`);
  });

  test("a file that is not Parquet, or is missing, is named", async () => {
    const path = fileOf("not parquet at all", "parquet");
    expect((await errorOf(read(fromParquet(path)))).message).toContain(`${path} cannot be read as Parquet`);
    const missing = join(directory, "none.parquet");
    expect((await errorOf(read(fromParquet(missing)))).message).toContain(`${missing} cannot be read as Parquet`);
  });

  test("without the packages that read it, the error is the command that installs them", async () => {
    const rows = readParquet("any.parquet", () => Promise.reject(new Error("Cannot find package 'hyparquet'")));
    expect((await errorOf(rows.next())).hint).toBe("npm install hyparquet hyparquet-compressors");
  });
});
