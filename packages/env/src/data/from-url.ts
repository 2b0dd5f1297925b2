// Task ← data: one file from anywhere, pinned by its checksum. Fetched once, kept in the cache under that checksum.
import { join } from "node:path";
import { HoneError, type JsonObject, type Taskset } from "@hone/core";
import type * as z from "zod";
import { cached, checksums } from "./cache.ts";
import type { DownloadProgress } from "./download.ts";
import { fromFiles } from "./from-files.ts";
import { shown } from "./http.ts";
import { cacheDirectory, type DataMachine, pathPart, thisMachine } from "./machine.ts";
import { type DataFile, type DataFormat, formatOf } from "./read-rows.ts";
import type { RowOptions } from "./row.ts";

export interface UrlOptions<Fields> extends RowOptions {
  readonly url: string | URL;
  /** What the file must be: the same tasks for everyone, for good. */
  readonly sha256: string;
  /** Where the address does not end in one: .jsonl, .json (also with .gz), .parquet. */
  readonly format?: DataFormat;
  readonly schema?: z.ZodType<Fields>;
  readonly onProgress?: (progress: DownloadProgress) => void;
  readonly signal?: AbortSignal;
}

/** Environment variables: HONE_CACHE, HONE_OFFLINE. */
export function fromUrl<Fields = JsonObject>(options: UrlOptions<Fields>): Taskset<Fields> {
  return fromUrlOn(thisMachine(), options);
}

export function fromUrlOn<Fields>(machine: DataMachine, options: UrlOptions<Fields>): Taskset<Fields> {
  const { sha256, onProgress, signal } = options;
  const url = addressOf(options.url);
  const name = url.pathname.split("/").at(-1) ?? "";
  const format = options.format ?? formatOf(name);
  if (format === undefined) {
    throw new HoneError(`${shown(url)} does not say what it is.`, {
      code: "data-option",
      hint: 'Give its format: "jsonl", "json" or "parquet".',
    });
  }
  const expected = checksums(sha256);
  const locate = async (): Promise<readonly DataFile[]> => {
    const paths = await cached({
      directory: join(cacheDirectory(machine), "files", ...expected),
      source: shown(url),
      list: () => Promise.resolve([{ name: pathPart(name) || "file", url: url.href, sha256: expected[0] }]),
      sha256: expected,
      tried: [],
      onProgress,
      machine,
      signal,
    });
    return paths.map((path) => ({ path, format }));
  };
  return fromFiles(locate, options.schema, options);
}

function addressOf(url: string | URL): URL {
  const parsed = URL.canParse(String(url)) ? new URL(url) : undefined;
  if (parsed?.protocol === "https:" || parsed?.protocol === "http:") return parsed;
  throw new HoneError(`${String(url)} is not an http address.`, {
    code: "data-option",
    hint: "A file on this machine is read with fromJsonl or fromParquet.",
  });
}
