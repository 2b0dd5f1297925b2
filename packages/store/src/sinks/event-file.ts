// One TensorBoard event file while it grows. Each opening begins a new file whose name sorts after the ones that are there, since readers go through
// files by name and never back. A write that fails is cut off again, so that no half record hides what follows it.
import { type FileHandle, mkdir, open, readdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { diskError } from "../disk-error.ts";
import { encodeVersion } from "./event-encode.ts";

export class EventFile {
  readonly path: string;
  readonly #file: FileHandle;
  #size = 0;

  private constructor(path: string, file: FileHandle) {
    this.path = path;
    this.#file = file;
  }

  static async create(directory: string, atMs: number): Promise<EventFile> {
    try {
      await mkdir(directory, { recursive: true });
      const path = join(directory, fileName(await readdir(directory), atMs));
      const created = new EventFile(path, await open(path, "wx"));
      try {
        await created.append(encodeVersion(atMs));
        return created;
      } catch (error) {
        await created.close();
        throw error;
      }
    } catch (error) {
      throw diskError(directory, "write", error);
    }
  }

  async append(bytes: Buffer): Promise<void> {
    try {
      for (let written = 0; written < bytes.length;) {
        const result = await this.#file.write(bytes, written, bytes.length - written, this.#size + written);
        written += result.bytesWritten;
      }
      this.#size += bytes.length;
    } catch (error) {
      await this.#file.truncate(this.#size).catch(() => undefined);
      throw diskError(this.path, "write", error);
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** `events.out.tfevents.<seconds>.<host>.<pid>.hone`: the part before the seconds is how TensorBoard finds it. */
function fileName(others: readonly string[], atMs: number): string {
  const taken = others.map((name) => Number(/^events\.out\.tfevents\.(\d{10})\./.exec(name)?.[1] ?? 0));
  const seconds = Math.max(Math.floor(atMs / 1000), ...taken.map((second) => second + 1));
  const host = hostname().replaceAll(/[^A-Za-z0-9-]/g, "_");
  return `events.out.tfevents.${String(seconds).padStart(10, "0")}.${host}.${process.pid}.hone`;
}
