// Bytes to whole lines, in bounded memory. A last line without a newline is torn and not returned; where the whole lines end is always known.
import { type FileHandle, open } from "node:fs/promises";
import { diskError, isMissing } from "./disk-error.ts";

export interface RawLine {
  /** Undefined when the line is longer than anything that was written here. */
  readonly text: string | undefined;
  /** From 1. */
  readonly line: number;
  /** Where it begins and where the next one does. */
  readonly byte: number;
  readonly nextByte: number;
}

export interface LinePlace {
  readonly byte: number;
  readonly line: number;
}

const newline = 10;
const chunkBytes = 262_144;
const longestLineBytes = 256 * 1024 * 1024;

export class LineSplitter {
  readonly #longest: number;
  #carried: Buffer[] = [];
  #carriedBytes = 0;
  #byte: number;
  #line: number;

  constructor(start: LinePlace, longest: number = longestLineBytes) {
    this.#byte = start.byte;
    this.#line = start.line;
    this.#longest = longest;
  }

  /** The lines that end in this chunk. The chunk may be reused afterwards. */
  push(chunk: Buffer): RawLine[] {
    const lines: RawLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      lines.push(this.#finish(chunk, start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#carry(chunk.subarray(start));
    return lines;
  }

  #finish(chunk: Buffer, start: number, end: number): RawLine {
    const bytes = this.#carriedBytes + end - start;
    let text: string | undefined;
    if (bytes > this.#longest) text = undefined;
    else if (this.#carriedBytes === 0) text = chunk.toString("utf8", start, end);
    else text = Buffer.concat([...this.#carried, chunk.subarray(start, end)]).toString("utf8");
    this.#carried = [];
    this.#carriedBytes = 0;
    const byte = this.#byte;
    this.#byte += bytes + 1;
    return { text, line: this.#line++, byte, nextByte: this.#byte };
  }

  #carry(rest: Buffer): void {
    this.#carriedBytes += rest.length;
    // Of a line that is too long only the length is kept.
    if (this.#carriedBytes > this.#longest) this.#carried = [];
    else this.#carried.push(Buffer.from(rest));
  }
}

/** Undefined when there is no such file. */
export async function openForReading(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw diskError(path, "read", error);
  }
}

/** The whole lines from `start` to the present end, a few hundred at a time. */
export async function* readLines(
  path: string,
  file: FileHandle,
  start: LinePlace,
): AsyncGenerator<readonly RawLine[], void, undefined> {
  const splitter = new LineSplitter(start);
  const chunk = Buffer.allocUnsafeSlow(chunkBytes);
  for (let at = start.byte; ;) {
    const bytesRead = await readAt(path, file, chunk, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    const lines = splitter.push(chunk.subarray(0, bytesRead));
    if (lines.length > 0) yield lines;
  }
}

async function readAt(path: string, file: FileHandle, chunk: Buffer, at: number): Promise<number> {
  try {
    return (await file.read(chunk, 0, chunk.length, at)).bytesRead;
  } catch (error) {
    throw diskError(path, "read", error);
  }
}
