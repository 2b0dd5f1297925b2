// Reading a JSON-lines file: typed rows with their place. A torn last line is dropped, a malformed row is an error with `path:line`, or is reported and skipped.
import { HoneError, type Json } from "@hone/core";
import type * as z from "zod";
import { openForReading, type RawLine, readLines } from "./lines.ts";

export interface LogRow<Value> {
  readonly value: Value;
  /** From 1. */
  readonly line: number;
  /** Where its line begins, and where the next one does. */
  readonly byte: number;
  readonly nextByte: number;
}

export interface BadRow {
  readonly path: string;
  readonly line: number;
  readonly byte: number;
  readonly message: string;
}

export interface ReadLogOptions {
  /** Called for a malformed row, which is then skipped. Without it a malformed row throws. */
  readonly onBadRow?: (problem: BadRow) => void;
}

/** Streams; a missing file has no rows. */
export function readLog(path: string, schema?: undefined, options?: ReadLogOptions): AsyncGenerator<LogRow<Json>>;
export function readLog<Value>(
  path: string,
  schema: z.ZodType<Value>,
  options?: ReadLogOptions,
): AsyncGenerator<LogRow<Value>>;
export async function* readLog(
  path: string,
  schema?: z.ZodType,
  options: ReadLogOptions = {},
): AsyncGenerator<LogRow<unknown>> {
  const file = await openForReading(path);
  if (file === undefined) return;
  try {
    for await (const lines of readLines(path, file, { byte: 0, line: 1 })) {
      for (const raw of lines) {
        const row = parseRow(path, raw, schema, options.onBadRow);
        if (row !== undefined) yield row;
      }
    }
  } finally {
    await file.close();
  }
}

/** Undefined for a blank line, and for a malformed one that was reported. */
export function parseRow<Value>(
  path: string,
  raw: RawLine,
  schema: z.ZodType<Value> | undefined,
  onBadRow: ReadLogOptions["onBadRow"],
): LogRow<Value> | undefined {
  try {
    const json = parseLine(raw);
    if (json === undefined) return undefined;
    const value = schema === undefined ? (json as Value) : checked(json, schema);
    return { value, line: raw.line, byte: raw.byte, nextByte: raw.nextByte };
  } catch (error) {
    reportBadRow(path, raw, error, onBadRow);
    return undefined;
  }
}

/** Throws the error, or tells `onBadRow`. */
export function reportBadRow(
  path: string,
  { line, byte, text }: RawLine,
  error: unknown,
  onBadRow: ReadLogOptions["onBadRow"],
): void {
  const message = error instanceof Error ? error.message : String(error);
  if (onBadRow !== undefined) {
    onBadRow({ path, line, byte, message });
    return;
  }
  throw new HoneError(`${path}:${line}: ${message}`, {
    code: "bad-row",
    hint: `Correct or delete line ${line}; the other rows are unharmed.`,
    at: { file: path, line, column: 1, ...(text === undefined ? {} : { text: text.slice(0, 200) }) },
    cause: error,
  });
}

/** Undefined for a blank line: JSON has no other use for the word. */
export function parseLine({ text }: RawLine): unknown {
  if (text === undefined) throw new Error("the line is too long to be a row");
  if (text.trim() === "") return undefined;
  return JSON.parse(text);
}

export function checked<Value>(json: unknown, schema: z.ZodType<Value>): Value {
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, 3).map(({ path, message }) => {
    return path.length === 0 ? message : `${path.join(".")}: ${message}`;
  });
  throw new Error(issues.join("; "));
}
