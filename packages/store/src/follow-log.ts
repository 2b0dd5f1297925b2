// Tailing a JSON-lines file: the rows it has, then the new ones as they are appended. File-system events wake it, polling makes it certain.
// Nothing but whole lines is remembered between looks, so a torn tail that a restarted writer cuts off is never joined to its successor.
import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import type { Json } from "@hone/core";
import type * as z from "zod";
import { diskError } from "./disk-error.ts";
import { openForReading, type LinePlace, readLines } from "./lines.ts";
import { type LogRow, parseRow, type ReadLogOptions } from "./read-log.ts";

export interface FollowOptions<Value> extends ReadLogOptions {
  readonly schema?: z.ZodType<Value>;
  /** A row's `nextByte`, to go on after it. Line numbers then count from there. */
  readonly fromByte?: number;
  /** How long a change can go unnoticed where the system reports none. 500 unless given. */
  readonly pollMs?: number;
  /** Ends the iteration, without an error. */
  readonly signal: AbortSignal;
}

/** The file may come later. When it is replaced, or shorter than what was read, it is read from its beginning. */
export async function* followLog<Value = Json>(
  path: string,
  options: FollowOptions<Value>,
): AsyncGenerator<LogRow<Value>> {
  const { schema, onBadRow, signal, pollMs = 500 } = options;
  const changes = new ChangeWatcher(path, signal);
  let place: LinePlace = { byte: options.fromByte ?? 0, line: 1 };
  let known: number | undefined;
  try {
    while (!signal.aborted) {
      changes.startLooking();
      const file = await openForReading(path);
      try {
        if (file !== undefined) {
          const { ino, size } = await file.stat().catch((error: unknown) => {
            throw diskError(path, "read", error);
          });
          if (size < place.byte || (known !== undefined && known !== ino)) place = { byte: 0, line: 1 };
          known = ino;
          for await (const lines of readLines(path, file, place)) {
            for (const raw of lines) {
              const row = parseRow(path, raw, schema, onBadRow);
              if (signal.aborted) return;
              place = { byte: raw.nextByte, line: raw.line + 1 };
              if (row !== undefined) yield row;
            }
          }
        }
      } finally {
        await file?.close();
      }
      await changes.next(pollMs);
    }
  } finally {
    changes.close();
  }
}

/** Watches the folder, since the file may not exist yet or may be replaced. Without events (no folder yet, no watches left) only time passes. */
class ChangeWatcher {
  readonly #path: string;
  readonly #signal: AbortSignal;
  #watcher: FSWatcher | undefined;
  #hasChanged = false;
  #wake: (() => void) | undefined;

  constructor(path: string, signal: AbortSignal) {
    this.#path = path;
    this.#signal = signal;
    signal.addEventListener("abort", this.#onChange);
  }

  /** Changes from here on count: whoever looks now sees the ones before. */
  startLooking(): void {
    this.#hasChanged = false;
    if (this.#watcher !== undefined) return;
    try {
      this.#watcher = watch(dirname(this.#path), (_event, name) => {
        if (name === null || name === basename(this.#path)) this.#onChange();
      });
      this.#watcher.on("error", () => this.#stopWatching());
    } catch {
      this.#watcher = undefined;
    }
  }

  next(timeoutMs: number): Promise<void> {
    if (this.#hasChanged || this.#signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake?.(), timeoutMs);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
    });
  }

  close(): void {
    this.#signal.removeEventListener("abort", this.#onChange);
    this.#stopWatching();
    this.#wake?.();
  }

  readonly #onChange = (): void => {
    this.#hasChanged = true;
    this.#wake?.();
  };

  #stopWatching(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }
}
