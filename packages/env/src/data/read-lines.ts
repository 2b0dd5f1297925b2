// Task ← data: the bytes and lines of a local file, plain or gzip (told by its first bytes), in bounded memory.
// Invariant: no more than one line of at most `maxLineBytes` is held, whatever the file contains.
import { isUtf8 } from "node:buffer";
import { open } from "node:fs/promises";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { HoneError } from "@hone/core";

const maxLineBytes = 64 * 2 ** 20;

export type Line = { readonly number: number } & ({ readonly text: string } | { readonly reason: string });

/** The content, decompressed. Closed when its reader stops. */
export async function* readBytes(file: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of await openFile(file)) yield chunk as Buffer;
  } catch (error) {
    throw HoneError.is(error) ? error : unreadable(file, error);
  }
}

async function openFile(file: string): Promise<Readable> {
  const handle = await open(file, "r");
  try {
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.alloc(2), position: 0 });
    const bytes = handle.createReadStream({ start: 0, highWaterMark: 2 ** 18 });
    const isGzip = bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
    // Errors of either end reach whoever iterates over the last stream.
    return isGzip ? pipeline(bytes, createGunzip({ chunkSize: 2 ** 18 }), () => {}) : bytes;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Lines from 1, without their ending and without a byte order mark. Blank lines are counted, not given. */
export async function* readLines(file: string, limitBytes = maxLineBytes): AsyncGenerator<Line> {
  let number = 0;
  let pieces: Buffer[] = [];
  let heldBytes = 0;
  const hold = (piece: Buffer): void => {
    heldBytes += piece.length;
    // Past the limit only the count goes on: the line is refused, the ones after it are not.
    if (heldBytes <= limitBytes) pieces.push(piece);
    else pieces = [];
  };
  const take = (): Line | undefined => {
    number += 1;
    const isTooLong = heldBytes > limitBytes;
    const bytes = pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces);
    pieces = [];
    heldBytes = 0;
    if (isTooLong) return { number, reason: `a row of more than ${Math.floor(limitBytes / 2 ** 20)} MiB` };
    return lineOf(bytes, number);
  };
  for await (const chunk of readBytes(file)) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      hold(chunk.subarray(start, end));
      start = end + 1;
      const line = take();
      if (line !== undefined) yield line;
    }
    if (start < chunk.length) hold(chunk.subarray(start));
  }
  const last = heldBytes > 0 ? take() : undefined;
  if (last !== undefined) yield last;
}

function lineOf(bytes: Buffer, number: number): Line | undefined {
  if (!isUtf8(bytes)) return { number, reason: "not UTF-8 text" };
  const text = bytes.toString("utf8");
  const line = number === 1 && text.startsWith("\ufeff") ? text.slice(1) : text;
  const trimmed = line.trim();
  return trimmed === "" ? undefined : { number, text: line.endsWith("\r") ? line.slice(0, -1) : line };
}

function unreadable(file: string, error: unknown): HoneError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") {
    return new HoneError(`There is no file ${file}.`, {
      code: "no-data-file",
      hint: "A relative path starts at the working directory; new URL(name, import.meta.url) starts at your module.",
      cause: error,
    });
  }
  return new HoneError(`${file} cannot be read: ${message}`, { code: "data-file", cause: error });
}
