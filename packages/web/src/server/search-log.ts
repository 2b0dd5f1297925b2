// The events of a run, newest first, by level and by what they say. The file is read from its end towards its beginning in chunks, so that the latest
// lines of a long log cost as much as those of a short one; a search that takes long answers with what it has and says where to go on.
import type { FileHandle } from "node:fs/promises";
import type { Json } from "@hone/core";
import type { LogItem, LogLevel, LogPage } from "../app/api-types.ts";
import { openInside } from "./inside.ts";
import { parseObject } from "./tail.ts";

export interface LogQuery {
  /** Only lines that begin before this byte; from the end unless given. */
  readonly before?: number;
  readonly limit: number;
  /** This level and those above it. */
  readonly level: LogLevel;
  readonly search: string;
}
export interface LogLimits {
  readonly searchMs: number;
  readonly now: () => number;
}

const chunkBytes = 262_144;
/** A longer line is no event of ours. */
const longestBytes = 16 * 1024 * 1024;
const ranks: Readonly<Record<LogLevel, number>> = { info: 0, warning: 1, error: 2 };

export async function searchLog(
  folder: string,
  path: string,
  { before, limit, level, search }: LogQuery,
  { searchMs, now }: LogLimits,
): Promise<LogPage> {
  const file = await openInside(folder, path);
  if (file === undefined) return { items: [], next: null };
  const needle = search.trim().toLowerCase();
  const until = now() + searchMs;
  const items: LogItem[] = [];
  try {
    const { size } = await file.stat();
    for await (const { text, byte } of backwards(file, Math.min(before ?? size, size))) {
      const item = toItem(text, byte);
      if (item !== undefined && ranks[item.level] >= ranks[level] && (needle === "" || says(item, needle))) {
        items.push(item);
      }
      const isOver = items.length >= limit || now() > until;
      if (isOver) return { items, next: byte === 0 ? null : byte };
    }
    return { items, next: null };
  } finally {
    await file.close();
  }
}

interface Line {
  readonly text: string;
  readonly byte: number;
}

/** Whole lines that end at or before `end`, last first. What follows the last newline is still being written. */
async function* backwards(file: FileHandle, end: number): AsyncGenerator<Line> {
  let after: Buffer = Buffer.alloc(0);
  let isFirst = true;
  for (let to = end; to > 0;) {
    const from = Math.max(0, to - chunkBytes);
    const part = Buffer.allocUnsafe(to - from);
    const { bytesRead } = await file.read(part, 0, part.length, from);
    let bytes = Buffer.concat([part.subarray(0, bytesRead), after]);
    if (isFirst) bytes = bytes.subarray(0, bytes.lastIndexOf(10) + 1);
    isFirst &&= bytes.length === 0;
    let stop = bytes.length;
    while (stop > 0) {
      const start = stop < 2 ? 0 : bytes.lastIndexOf(10, stop - 2) + 1;
      if (start === 0 && from > 0) break;
      yield { text: bytes.toString("utf8", start, stop - 1), byte: from + start };
      stop = start;
    }
    after = stop > longestBytes ? Buffer.alloc(0) : Buffer.from(bytes.subarray(0, stop));
    to = from;
  }
}

function toItem(text: string, byte: number): LogItem | undefined {
  const row = parseObject(text);
  if (row === undefined || typeof row["type"] !== "string") return undefined;
  const { type, atMs } = row;
  const detail = (row["detail"] ?? null) as Json;
  return { type, atMs: typeof atMs === "number" ? atMs : 0, detail, level: levelOf(type, detail), byte };
}

/** What an event says of itself counts; else its name tells. */
export function levelOf(type: string, detail: Json): LogLevel {
  const told = typeof detail === "object" && detail !== null && "level" in detail ? detail["level"] : undefined;
  if (told === "error" || told === "warning" || told === "info") return told;
  if (/(?:^|-)(?:fail|failed|error|crash)$/.test(type)) return "error";
  return /(?:^|-)(?:reject|retry|block|blocked|stall|interrupt|note|warn|warning)$/.test(type) ? "warning" : "info";
}

function says({ type, detail }: LogItem, needle: string): boolean {
  return `${type} ${typeof detail === "string" ? detail : JSON.stringify(detail)}`.toLowerCase().includes(needle);
}
