// A file that only grows, at a known size. What a failed write left behind can be cut off again, so that the file keeps ending where it should.
// One writer per file: whoever opens it holds the lock of the run.
import { constants } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "./atomic.ts";
import { diskError } from "./disk-error.ts";

const newline = 10;

export class AppendFile {
  readonly path: string;
  readonly #handle: FileHandle;
  #size: number;
  /** A file that was just made is durable only once its folder is. */
  #isNameSynced: boolean;

  constructor(path: string, handle: FileHandle, size: number) {
    this.path = path;
    this.#handle = handle;
    this.#size = size;
    this.#isNameSynced = size > 0;
  }

  get size(): number {
    return this.#size;
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await this.#handle.write(bytes, done, bytes.length - done);
        done += bytesWritten;
      }
      this.#size += bytes.length;
    } catch (error) {
      throw diskError(this.path, "write", error);
    }
  }

  /** The file ends at `size`: nothing after it remains, zeros fill what is missing. */
  async resize(size: number): Promise<void> {
    try {
      await this.#handle.truncate(size);
      this.#size = size;
    } catch (error) {
      throw diskError(this.path, "write", error);
    }
  }

  /** After a failed write. When even this fails, whoever opens the file next cuts the torn line. */
  async cutBack(size: number): Promise<void> {
    await this.resize(size).catch(() => undefined);
  }

  async sync(): Promise<void> {
    try {
      await this.#handle.datasync();
      if (!this.#isNameSynced) await syncFolder(dirname(this.path));
      this.#isNameSynced = true;
    } catch (error) {
      throw diskError(this.path, "write", error);
    }
  }

  /** Byte position of the last newline before `before`, or -1. */
  async lastNewline(before: number): Promise<number> {
    const chunk = Buffer.allocUnsafe(Math.min(65_536, before));
    for (let end = before; end > 0;) {
      const start = Math.max(0, end - chunk.length);
      const { bytesRead } = await this.#handle.read(chunk, 0, end - start, start);
      const found = chunk.subarray(0, bytesRead).lastIndexOf(newline);
      if (found >= 0) return start + found;
      end = start;
    }
    return -1;
  }

  async text(start: number, end: number): Promise<string> {
    const { buffer, bytesRead } = await this.#handle.read(Buffer.allocUnsafe(end - start), 0, end - start, start);
    return buffer.toString("utf8", 0, bytesRead);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

export async function openAppendFile(path: string): Promise<AppendFile> {
  try {
    await mkdir(dirname(path), { recursive: true });
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND);
    const { size } = await handle.stat();
    return new AppendFile(path, handle, size);
  } catch (error) {
    throw diskError(path, "open", error);
  }
}

/** Of lines: a torn last one (no newline) is cut off, so that what is appended never joins it. */
export async function openLineFile(path: string): Promise<AppendFile> {
  const file = await openAppendFile(path);
  try {
    const end = (await file.lastNewline(file.size)) + 1;
    if (end < file.size) await file.resize(end);
    return file;
  } catch (error) {
    await file.close();
    throw diskError(path, "open", error);
  }
}
