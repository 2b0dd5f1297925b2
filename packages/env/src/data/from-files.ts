// Task ← data: a taskset over local files. Lazy; read anew each time; rows checked against the schema with file and line.
// Files small enough are checked to their end before the first task is given, so that a bad row is named at load and not at step 400.
import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { HoneError, type JsonObject, type Taskset } from "@hone/core";
import type * as z from "zod";
import { tasksetFrom } from "../task/taskset.ts";
import { type DataFile, formatOf, readRows } from "./read-rows.ts";
import { checkRow, type RowOptions } from "./row.ts";

const checkedAheadBytes = 32 * 2 ** 20;

/** Rows of a JSONL file (also .json and gzip of either). Without a schema the rows are what the file holds. */
export function fromJsonl<Fields = JsonObject>(
  path: string | URL,
  schema?: z.ZodType<Fields>,
  options: RowOptions = {},
): Taskset<Fields> {
  const file = pathOf(path);
  const format = formatOf(file) === "json" ? "json" : "jsonl";
  return fromFiles(() => [{ path: file, format }], schema, options);
}

/** Rows of a Parquet file. Needs the packages hyparquet and hyparquet-compressors. */
export function fromParquet<Fields = JsonObject>(
  path: string | URL,
  schema?: z.ZodType<Fields>,
  options: RowOptions = {},
): Taskset<Fields> {
  return fromFiles(() => [{ path: pathOf(path), format: "parquet" }], schema, options);
}

/** `locate` runs when reading first begins, until it succeeds once; it may download. */
export function fromFiles<Fields>(
  locate: () => readonly DataFile[] | Promise<readonly DataFile[]>,
  schema: z.ZodType<Fields> | undefined,
  { onBadRow }: RowOptions,
): Taskset<Fields> {
  const reported = new Set<string>();
  let isChecked = false;
  let located: readonly DataFile[] | undefined;
  async function* rows(files: readonly DataFile[]): AsyncGenerator<Fields> {
    for (const file of files) {
      for await (const raw of readRows(file)) {
        const checked = checkRow(raw, schema);
        if (!HoneError.is(checked)) yield checked;
        else if (onBadRow === undefined) throw checked;
        else if (!reported.has(checked.message)) {
          reported.add(checked.message);
          onBadRow(checked);
        }
      }
    }
  }
  return tasksetFrom(async function* () {
    const files = (located ??= await locate());
    if (!isChecked && (await totalBytes(files)) <= checkedAheadBytes) for await (const _row of rows(files));
    isChecked = true;
    yield* rows(files);
  });
}

export function pathOf(path: string | URL): string {
  if (typeof path === "string") return path;
  if (path.protocol === "file:") return fileURLToPath(path);
  throw new HoneError(`${path.protocol}//${path.host} is not on this machine.`, {
    code: "no-data-file",
    hint: "Use fromUrl, which downloads with a checksum, or fromHub.",
  });
}

async function totalBytes(files: readonly DataFile[]): Promise<number> {
  let total = 0;
  // A missing file is named by its reader.
  for (const { path } of files)
    total += await stat(path).then(
      ({ size }) => size,
      () => 0,
    );
  return total;
}
