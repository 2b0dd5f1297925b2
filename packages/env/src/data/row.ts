// Task ← data: one row of a file on its way to becoming a task. A bad row is an error with file, line and reason, or is reported and passed over.
// Nothing leaves here that is not an object of plain data with the fields its schema asks for.
import { HoneError, type JsonObject } from "@hone/core";
import type * as z from "zod";
import { findNotPlain } from "../task/plain.ts";

/** As a reader found it: a value, or why there is none. */
export interface RawRow {
  readonly file: string;
  /** From 1, where the file has lines. */
  readonly line?: number;
  /** From 0, where it has none: a JSON list, Parquet. */
  readonly row?: number;
  readonly content: { readonly value: unknown } | { readonly reason: string; readonly column?: number };
  /** The source line, for the caret. */
  readonly text?: string;
}

export interface RowOptions {
  /** Called once for each bad row, which is then left out. Without it the first bad row is an error. */
  readonly onBadRow?: (problem: HoneError) => void;
}

/** The row's fields, or the error that says what is wrong with it and where. */
export function checkRow<Fields>(raw: RawRow, schema: z.ZodType<Fields> | undefined): Fields | HoneError {
  if ("reason" in raw.content) return badRow(raw, raw.content.reason, raw.content.column);
  const { value } = raw.content;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return badRow(raw, "a row must be an object with fields");
  }
  const parsed = schema === undefined ? { success: true as const, data: value as JsonObject } : schema.safeParse(value);
  if (!parsed.success) return badRow(raw, reasonOf(parsed.error.issues, Object.keys(value)));
  const problem = findNotPlain(parsed.data);
  if (problem !== undefined) return badRow(raw, `field ${problem.member} is not plain JSON data: ${problem.found}`);
  return withIdOf(value, parsed.data as Fields & object);
}

/** A schema that does not mention the id drops it; the task keeps it all the same. */
function withIdOf<Fields extends object>(row: object, fields: Fields): Fields {
  if ("id" in fields || !("id" in row)) return fields;
  return typeof row.id === "string" || typeof row.id === "number" ? { ...fields, id: row.id } : fields;
}

function reasonOf(issues: readonly z.core.$ZodIssue[], fields: readonly string[]): string {
  const [first, ...more] = issues;
  if (first === undefined) return "the schema refuses it";
  const path = first.path.map(String).join(".");
  const isMissing = first.path.length === 1 && !fields.includes(path);
  const which = path === "" ? "" : `field ${path}: `;
  const what = isMissing ? `missing; the row has ${fields.join(", ") || "none"}` : first.message;
  return `${which}${what}${more.length === 0 ? "" : ` (and ${more.length} more)`}`;
}

function badRow({ file, line, row, text }: RawRow, reason: string, column = 1): HoneError {
  const place = line === undefined ? `${file}, row ${row ?? 0}` : `${file}:${line}`;
  const at = line === undefined ? undefined : { file, line, column, ...(text === undefined ? {} : { text }) };
  return new HoneError(`${place}: ${reason}`, {
    code: "bad-row",
    hint: "Correct the row, or pass onBadRow to leave such rows out.",
    ...(at === undefined ? {} : { at }),
  });
}
