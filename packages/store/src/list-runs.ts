// The runs under a folder: `runs/` and `evals/` have the same layout inside.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { diskError, isMissing } from "./disk-error.ts";
import { type LockState, readLock } from "./lock.ts";
import { runPaths } from "./run-paths.ts";

export interface RunSummary {
  readonly name: string;
  readonly directory: string;
  /** When its run.toml was written. */
  readonly createdAtMs: number;
  /** Who writes to it, if anyone. */
  readonly lock?: LockState;
}

/** Newest first. A folder that does not exist has none; folders that are no runs are left out. */
export async function listRuns(root: string): Promise<readonly RunSummary[]> {
  let names: string[];
  try {
    names = await readdir(root);
  } catch (error) {
    if (isMissing(error)) return [];
    throw diskError(root, "read", error);
  }
  const runs = await Promise.all(names.map((name) => summarise(name, join(root, name))));
  return runs
    .filter((run) => run !== undefined)
    .sort((a, b) => b.createdAtMs - a.createdAtMs || (a.name < b.name ? -1 : 1));
}

async function summarise(name: string, directory: string): Promise<RunSummary | undefined> {
  const config = await stat(runPaths(directory).config).catch(() => undefined);
  if (config === undefined || !config.isFile()) return undefined;
  // A lock that cannot be read hides no run from the list.
  const lock = await readLock(directory).catch(() => undefined);
  return { name, directory, createdAtMs: config.mtimeMs, ...(lock === undefined ? {} : { lock }) };
}
