// Task ← data: a dataset that is already on this machine. A folder named by the caller or by HONE_DATA is looked into before cache and hub.
import { join } from "node:path";
import { access } from "node:fs/promises";
import type { DataFile } from "./read-rows.ts";
import { formatOf } from "./read-rows.ts";

const endings = ["jsonl", "json", "jsonl.gz", "parquet"] as const;

export interface LocalRequest {
  readonly dataset: string;
  readonly config: string | undefined;
  readonly split: string;
  readonly file: string | undefined;
}
export interface LocalSearch {
  readonly found: DataFile | undefined;
  /** For people: endings are written together. */
  readonly tried: readonly string[];
}

/** `own`: the folder may be this dataset's, not only a folder of datasets. */
export async function searchFolder(folder: string, own: boolean, request: LocalRequest): Promise<LocalSearch> {
  const { dataset, config, split, file } = request;
  const names = [...new Set([dataset, dataset.split("/").at(-1) ?? dataset])];
  const roots = [...(own ? [folder] : []), ...names.map((name) => join(folder, name))];
  const stems = roots.flatMap((root) => [
    ...(file === undefined ? [] : [join(root, file)]),
    ...(config === undefined ? [] : [join(root, config, split)]),
    join(root, split),
  ]);
  for (const stem of stems) {
    for (const path of [stem, ...endings.map((ending) => `${stem}.${ending}`)]) {
      const format = formatOf(path);
      if (format !== undefined && (await exists(path))) return { found: { path, format }, tried: [] };
    }
  }
  return { found: undefined, tried: stems.map((stem) => (formatOf(stem) ? stem : `${stem}.{${endings.join(",")}}`)) };
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
