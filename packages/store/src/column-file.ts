// The token file of a step, read in order through one window. The file may grow while it is read: its size is asked again when a line needs more.
import type { FileHandle } from "node:fs/promises";
import { diskError } from "./disk-error.ts";
import { openForReading } from "./lines.ts";

const windowBytes = 262_144;

export class ColumnFile {
  readonly path: string;
  #file: FileHandle | undefined;
  #size = 0;
  #window: Uint8Array = new Uint8Array(0);
  #windowAt = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** As far as was known at the last look. */
  get size(): number {
    return this.#size;
  }

  /** Looks how far the file reaches now; undefined when there is no file. */
  async look(): Promise<number | undefined> {
    this.#file ??= await openForReading(this.path);
    if (this.#file === undefined) return undefined;
    try {
      this.#size = (await this.#file.stat()).size;
    } catch (error) {
      throw diskError(this.path, "read", error);
    }
    return this.#size;
  }

  /**
   * What follows the columns of a known line may be written anew (by a writer that resumes after a kill),
   * so a window is good only for lines that were there when it was loaded.
   */
  forgetWindow(): void {
    this.#window = new Uint8Array(0);
    this.#windowAt = 0;
  }

  /** The window over bytes [start, end), or undefined when they must be loaded first. Valid until the next load. */
  view(start: number, end: number): Uint8Array | undefined {
    if (start < this.#windowAt || end > this.#windowAt + this.#window.length) return undefined;
    return this.#window.subarray(start - this.#windowAt, end - this.#windowAt);
  }

  /** Bytes [start, end) and what follows them. The file must reach that far. */
  async load(start: number, end: number): Promise<Uint8Array> {
    const window = new Uint8Array(Math.min(Math.max(end - start, windowBytes), this.#size - start));
    for (let filled = 0; filled < window.length;) {
      const bytesRead = await this.#read(window, filled, start + filled);
      if (bytesRead === 0) throw new Error("the token file was cut while it was read");
      filled += bytesRead;
    }
    this.#window = window;
    this.#windowAt = start;
    return window.subarray(0, end - start);
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  async #read(window: Uint8Array, filled: number, at: number): Promise<number> {
    if (this.#file === undefined) return 0;
    try {
      return (await this.#file.read(window, filled, window.length - filled, at)).bytesRead;
    } catch (error) {
      throw diskError(this.path, "read", error);
    }
  }
}
