// Lines of rollouts by their place. The file read last stays open, with a window of it: neighbours lie in the same file, before or after.
import type { FileHandle } from "node:fs/promises";
import { rolloutPaths } from "@hone/store";
import { openInside } from "./inside.ts";
import type { IndexedRollout } from "./rollout-index.ts";

const windowBytes = 131_072;

export class LineReader {
  readonly #folder: string;
  #step = -1;
  #file: FileHandle | undefined;
  #window: Buffer = Buffer.alloc(0);
  #windowAt = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async read({ step, byte, bytes }: IndexedRollout): Promise<string> {
    if (step !== this.#step) {
      await this.close();
      this.#file = await openInside(this.#folder, rolloutPaths(this.#folder, step).lines);
      this.#step = step;
    }
    if (byte < this.#windowAt || byte + bytes > this.#windowAt + this.#window.length) await this.#load(byte, bytes);
    const start = byte - this.#windowAt;
    return this.#window.toString("utf8", start, start + bytes);
  }

  async #load(byte: number, bytes: number): Promise<void> {
    this.#windowAt = Math.max(0, byte - Math.max(0, (windowBytes - bytes) >> 1));
    const buffer = Buffer.allocUnsafe(Math.max(bytes, windowBytes));
    const read = await this.#file?.read(buffer, 0, buffer.length, this.#windowAt);
    this.#window = buffer.subarray(0, read?.bytesRead ?? 0);
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
    this.#step = -1;
    this.#window = Buffer.alloc(0);
  }
}
