// A JSON-lines file being written. Line-atomic: a reader never sees rows joined or reordered, whenever the writer dies.
import { HoneError } from "@hone/core";
import { type AppendFile, openLineFile } from "./append-file.ts";
import { TextBatch, WriteQueue } from "./write-queue.ts";

/** When data is forced to the disk: by `flush` alone, also after each write, also on close. A killed process loses nothing either way; a power loss does. */
export type Fsync = "never" | "each" | "close";
export interface AppendLogOptions {
  /** "close" unless given. */
  readonly fsync?: Fsync;
}

export class AppendLog implements AsyncDisposable {
  readonly path: string;
  readonly #file: AppendFile;
  readonly #fsync: Fsync;
  readonly #text = new TextBatch();
  readonly #queue = new WriteQueue(() => this.#write());
  #closing: Promise<void> | undefined;

  constructor(file: AppendFile, fsync: Fsync) {
    this.path = file.path;
    this.#file = file;
    this.#fsync = fsync;
  }

  /** One row as JSON text. Resolves when the operating system has it and every row before it. It need not be awaited: `flush` and `close` report errors too. */
  append(line: string): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(closedError(this.path));
    if (this.#queue.failed !== undefined) return this.#queue.failed;
    if (line === "" || line.includes("\n")) return Promise.reject(notALine(this.path));
    this.#text.put(line);
    return this.#queue.request(this.#text.isFull);
  }

  /** Everything appended so far is on the disk. */
  async flush(): Promise<void> {
    if (this.#closing !== undefined) return this.#closing;
    await this.#queue.drained();
    await this.#file.sync();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #write(): Promise<void> {
    const before = this.#file.size;
    try {
      const pieces = this.#text.take();
      for (const piece of pieces) await this.#file.write(piece);
      this.#text.recycle(pieces);
      if (this.#fsync === "each") await this.#file.sync();
    } catch (error) {
      await this.#file.cutBack(before);
      throw error;
    }
  }

  async #close(): Promise<void> {
    try {
      await this.#queue.drained();
      if (this.#fsync !== "never") await this.#file.sync();
    } finally {
      await this.#file.close();
    }
  }
}

export async function openAppendLog(path: string, options: AppendLogOptions = {}): Promise<AppendLog> {
  return new AppendLog(await openLineFile(path), options.fsync ?? "close");
}

export function closedError(path: string): HoneError {
  return new HoneError(`${path} is closed`, { code: "closed", hint: "Append before closing the log." });
}

function notALine(path: string): HoneError {
  return new HoneError(`a row of ${path} must be one line of JSON`, {
    code: "bad-row",
    hint: "Pass the output of JSON.stringify, without indentation.",
  });
}
