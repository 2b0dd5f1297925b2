// The checkpoints of a run that are on the disk: those of the last steps, and others that its settings keep. An engine's folder of one has the
// name of its step.
import { readdir } from "node:fs/promises";
import { runPaths } from "@hone/store";
import { resolveInside } from "./inside.ts";

/** Their steps, ascending. */
export async function keptCheckpoints(folder: string): Promise<readonly number[]> {
  const weights = await resolveInside(folder, runPaths(folder).weights);
  const names = weights === undefined ? [] : await readdir(weights).catch(() => []);
  return names
    .filter((name) => /^\d{6,}$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}
