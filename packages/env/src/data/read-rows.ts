// Task ← data: rows of a local file in the format its name tells. A row that cannot be read is given with the reason; the reader goes on.
import { HoneError } from "@hone/core";
import { readBytes, readLines } from "./read-lines.ts";
import { readParquet } from "./read-parquet.ts";
import type { RawRow } from "./row.ts";

export type DataFormat = "jsonl" | "json" | "parquet";
export interface DataFile {
  readonly path: string;
  readonly format: DataFormat;
}

/** A JSON list has to be held whole; beyond this it should be JSONL. */
const maxJsonBytes = 512 * 2 ** 20;

export function formatOf(name: string): DataFormat | undefined {
  if (/\.parquet$/i.test(name)) return "parquet";
  const plain = name.toLowerCase().replace(/\.gz$/, "");
  if (plain.endsWith(".jsonl") || plain.endsWith(".ndjson")) return "jsonl";
  return plain.endsWith(".json") ? "json" : undefined;
}

export async function* readRows({ path, format }: DataFile): AsyncGenerator<RawRow> {
  switch (format) {
    case "parquet":
      yield* readParquet(path);
      break;
    case "json":
      // Many files named .json hold a row per line.
      yield* (await startsWithList(path)) ? readJsonList(path) : readJsonLines(path);
      break;
    case "jsonl":
      yield* readJsonLines(path);
      break;
  }
}

async function* readJsonLines(file: string): AsyncGenerator<RawRow> {
  for await (const line of readLines(file)) {
    const at = { file, line: line.number };
    if ("reason" in line) yield { ...at, content: line };
    else {
      const content = parseJson(line.text);
      yield "reason" in content ? { ...at, content, text: line.text.slice(0, 500) } : { ...at, content };
    }
  }
}

async function* readJsonList(file: string): AsyncGenerator<RawRow> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of readBytes(file)) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxJsonBytes) {
      throw new HoneError(`${file} is a JSON list of more than 512 MiB.`, {
        code: "data-file",
        hint: "Write it as JSONL, a row per line: that is read piece by piece.",
      });
    }
  }
  const content = parseJson(
    Buffer.concat(chunks)
      .toString("utf8")
      .replace(/^\ufeff/, ""),
  );
  if ("reason" in content) throw new HoneError(`${file}: ${content.reason}`, { code: "data-file" });
  for (const [row, value] of (content.value as readonly unknown[]).entries()) yield { file, row, content: { value } };
}

async function startsWithList(file: string): Promise<boolean> {
  for await (const chunk of readBytes(file)) {
    const start = chunk
      .toString("latin1")
      .replace(/^\u00ef\u00bb\u00bf/, "")
      .trimStart();
    if (start !== "") return start.startsWith("[");
  }
  return false;
}

function parseJson(text: string): { readonly value: unknown } | { readonly reason: string; readonly column?: number } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    const { message } = error as SyntaxError;
    const position = /at position (\d+)/.exec(message)?.[1];
    const reason = `not valid JSON: ${message.slice(0, 200)}`;
    return position === undefined ? { reason } : { reason, column: Number(position) + 1 };
  }
}
