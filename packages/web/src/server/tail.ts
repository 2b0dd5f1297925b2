// A JSON-lines file from a byte on: whole lines only, in chunks, in bounded memory. The one way in which this server reads streams,
// whether to draw them, to index them or to pass them on. Whoever reads keeps the byte and comes back.
import { openInside } from "./inside.ts";

export interface TailLine {
  readonly text: string;
  readonly byte: number;
  readonly nextByte: number;
}

/** Where a reader is. A file with another `ino`, or shorter than `byte`, was replaced and is read anew. */
export interface TailPlace {
  readonly ino: number;
  readonly byte: number;
}

export interface TailBatch {
  readonly lines: readonly TailLine[];
  readonly place: TailPlace;
  /** True on the first batch of a file that was replaced: what was read before is void. */
  readonly isReplaced: boolean;
}

export const startPlace: TailPlace = { ino: 0, byte: 0 };

const newline = 10;
const chunkBytes = 262_144;
/** A longer line is no row of ours: it is passed over. */
const longestBytes = 64 * 1024 * 1024;

export async function* tail(folder: string, path: string, from: TailPlace): AsyncGenerator<TailBatch> {
  const file = await openInside(folder, path);
  if (file === undefined) return;
  try {
    const { ino, size } = await file.stat();
    let isReplaced = size < from.byte || (from.ino !== 0 && from.ino !== ino);
    let lineStart = isReplaced ? 0 : from.byte;
    if (isReplaced) yield { lines: [], place: { ino, byte: 0 }, isReplaced };
    isReplaced = false;
    let carried: Buffer[] = [];
    const chunk = Buffer.allocUnsafe(Math.max(1, Math.min(chunkBytes, size - lineStart)));
    for (let at = lineStart; at < size;) {
      const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, size - at), at);
      if (bytesRead === 0) return;
      at += bytesRead;
      const lines: TailLine[] = [];
      let start = 0;
      for (let end = chunk.indexOf(newline); end >= 0 && end < bytesRead; end = chunk.indexOf(newline, start)) {
        const part = chunk.subarray(start, end);
        const nextByte = at - bytesRead + end + 1;
        const isTooLong = nextByte - lineStart > longestBytes;
        const text = isTooLong ? "" : (carried.length === 0 ? part : Buffer.concat([...carried, part])).toString();
        lines.push({ text, byte: lineStart, nextByte });
        carried = [];
        lineStart = nextByte;
        start = end + 1;
      }
      if (at - lineStart > longestBytes) carried = [];
      else if (start < bytesRead) carried.push(Buffer.from(chunk.subarray(start, bytesRead)));
      if (lines.length > 0) yield { lines, place: { ino, byte: lineStart }, isReplaced };
    }
  } finally {
    await file.close();
  }
}

/** The row, when the line is a JSON object. Others are passed over: a reader of a living run must go on. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  if (text === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
