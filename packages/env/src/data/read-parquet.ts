// Task ← data: rows of a Parquet file, one row group in memory at a time. hyparquet is an optional peer, loaded when the first file is opened.
// Values become JSON: whole numbers beyond 2^53 become text, dates ISO text, bytes base64, NaN and infinities null.
import { open } from "node:fs/promises";
import { HoneError } from "@hone/core";
import type * as hyparquet from "hyparquet";
import type * as hyparquetCompressors from "hyparquet-compressors";
import type { RawRow } from "./row.ts";

interface ParquetLibrary {
  readonly parquet: Pick<typeof hyparquet, "parquetMetadataAsync" | "parquetReadObjects">;
  readonly compressors: typeof hyparquetCompressors.compressors;
}

export async function* readParquet(path: string, load = loadLibrary): AsyncGenerator<RawRow> {
  const { parquet, compressors } = await library(load);
  const handle = await open(path, "r").catch((error: unknown) => {
    throw damaged(path, error);
  });
  try {
    const { size } = await handle.stat();
    const file = {
      byteLength: size,
      slice: async (start: number, end = size): Promise<ArrayBuffer> => {
        const bytes = new Uint8Array(end - start);
        const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
        if (bytesRead < bytes.length) throw new Error("the file is shorter than it says");
        return bytes.buffer;
      },
    };
    const metadata = await parquet.parquetMetadataAsync(file);
    let rowStart = 0;
    for (const group of metadata.row_groups) {
      const rowEnd = rowStart + Number(group.num_rows);
      // Bytes without a text annotation are bytes: decoding them would ruin images.
      const rows = await parquet.parquetReadObjects({ file, metadata, rowStart, rowEnd, compressors, utf8: false });
      for (const [index, value] of rows.entries()) {
        yield { file: path, row: rowStart + index, content: { value: toJson(value) } };
      }
      rowStart = rowEnd;
    }
  } catch (error) {
    throw HoneError.is(error) ? error : damaged(path, error);
  } finally {
    await handle.close();
  }
}

async function loadLibrary(): Promise<ParquetLibrary> {
  const [parquet, { compressors }] = await Promise.all([import("hyparquet"), import("hyparquet-compressors")]);
  return { parquet, compressors };
}

async function library(load: () => Promise<ParquetLibrary>): Promise<ParquetLibrary> {
  try {
    return await load();
  } catch (error) {
    throw new HoneError("Reading Parquet needs two small packages that are not installed.", {
      code: "missing-package",
      hint: "npm install hyparquet hyparquet-compressors",
      cause: error,
    });
  }
}

function toJson(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (value === undefined || value === null) return null;
  if (typeof value !== "object") return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(toJson);
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<unknown>, toJson);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item)]));
}

function damaged(path: string, error: unknown): HoneError {
  const { message } = error as Error;
  return new HoneError(`${path} cannot be read as Parquet: ${message}`, { code: "data-file", cause: error });
}
