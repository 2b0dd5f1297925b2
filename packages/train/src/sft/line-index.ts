// Where the lines of a file are, so that any of them can be read without keeping the file in memory: twenty bytes a line. Every line is parsed
// once while it passes, so that a mistake on the last one is told before the first update.
import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { HoneError } from "@hone/core";
import { parseConversation } from "./conversation.ts";

export interface LineIndex {
  readonly path: string;
  /** As the user wrote it, for errors. */
  readonly shownPath: string;
  /** [row]: blank lines are no rows. */
  readonly starts: Float64Array;
  readonly lengths: Uint32Array;
  /** [row], from 1. */
  readonly lines: Uint32Array;
  /** [row], in [0, 1), from the text of the line alone: what decides whether it is held out. */
  readonly hashes: Float32Array;
  /** Of the whole file. */
  readonly fingerprint: string;
}

const chunkBytes = 1 << 20;
const newline = 10;

export async function indexLines(path: string, shownPath: string): Promise<LineIndex> {
  const file = await open(path, "r").catch((error: unknown) => {
    throw unreadable(shownPath, error);
  });
  const rows: Rows = { starts: [], lengths: [], lines: [], hashes: [] };
  const whole = createHash("sha256");
  try {
    let line = 1;
    for await (const { bytes, at } of linesOf(file)) {
      whole.update(bytes);
      addRow(rows, { bytes, at, line: line++, shownPath });
    }
  } finally {
    await file.close();
  }
  return {
    path,
    shownPath,
    starts: Float64Array.from(rows.starts),
    lengths: Uint32Array.from(rows.lengths),
    lines: Uint32Array.from(rows.lines),
    hashes: Float32Array.from(rows.hashes),
    fingerprint: whole.digest("hex").slice(0, 16),
  };
}

/** A conversation of the file, read again. */
export async function readRow(index: LineIndex, row: number, file: FileHandle): Promise<unknown> {
  const bytes = Buffer.allocUnsafe(index.lengths[row] ?? 0);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, index.starts[row] ?? 0);
  if (bytesRead === bytes.length) return JSON.parse(textOf(bytes));
  throw new HoneError(`${index.shownPath} became shorter while it was read.`, {
    code: "no-data",
    hint: "Do not change the files of a run while it goes on.",
  });
}

/** An error of a row with its file and line. */
export function rowError(index: Pick<LineIndex, "shownPath">, line: number, error: unknown, text?: string): HoneError {
  const message = error instanceof Error ? error.message : String(error);
  return new HoneError(`${index.shownPath}:${line}: ${message}`, {
    code: "bad-row",
    hint:
      HoneError.is(error) && error.hint !== undefined
        ? error.hint
        : 'A row is {"messages": [...]} or {"prompt": ..., "completion": ...}, one per line; see docs/sft.md.',
    at: { file: index.shownPath, line, column: 1, ...(text === undefined ? {} : { text: text.slice(0, 200) }) },
    cause: error,
  });
}

interface Rows {
  readonly starts: number[];
  readonly lengths: number[];
  readonly lines: number[];
  readonly hashes: number[];
}
interface Line {
  readonly bytes: Buffer;
  readonly at: number;
  readonly line: number;
  readonly shownPath: string;
}

function addRow(rows: Rows, { bytes, at, line, shownPath }: Line): void {
  const text = textOf(bytes);
  if (text.trim() === "") return;
  try {
    parseConversation(JSON.parse(text));
  } catch (error) {
    throw rowError({ shownPath }, line, error, text);
  }
  rows.starts.push(at);
  rows.lengths.push(bytes.length);
  rows.lines.push(line);
  rows.hashes.push(hashOf(text.trim()));
}

/** In [0, 1). */
export function hashOf(text: string): number {
  // 24 bits: what a 32-bit float holds exactly.
  return createHash("sha1").update(text).digest().readUIntBE(0, 3) / 2 ** 24;
}

async function* linesOf(file: FileHandle): AsyncGenerator<{ readonly bytes: Buffer; readonly at: number }> {
  const chunk = Buffer.allocUnsafeSlow(chunkBytes);
  let carried: Buffer[] = [];
  let at = 0;
  for (let position = 0; ;) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0 && end < bytesRead; end = chunk.indexOf(newline, start)) {
      const rest = chunk.subarray(start, end);
      const bytes = carried.length === 0 ? rest : Buffer.concat([...carried, rest]);
      yield { bytes, at };
      carried = [];
      at += bytes.length + 1;
      start = end + 1;
    }
    if (start < bytesRead) carried.push(Buffer.from(chunk.subarray(start, bytesRead)));
  }
  // A file that people write need not end in a newline.
  if (carried.length > 0) yield { bytes: Buffer.concat(carried), at };
}

function textOf(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function unreadable(path: string, cause: unknown): HoneError {
  return new HoneError(`cannot read ${path}: ${cause instanceof Error ? cause.message : String(cause)}`, {
    code: "disk",
    cause,
  });
}
