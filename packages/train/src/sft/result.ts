// What a run of fine-tuning came to, read off its files: so it is the same for a run that was killed on the way.
import type { AdapterSpec } from "@hone/core";
import { type MetricRow, openRun, runPaths } from "@hone/store";
import { join } from "node:path";
import type { SftResult } from "./options.ts";

/** adapter/ for an adapter, model/ for all weights. */
export function exportFolder(directory: string, adapter: AdapterSpec | "full"): string {
  return adapter === "full" ? join(directory, "model") : runPaths(directory).adapter;
}

/** On what was held out; without that, on the first and the last batch. Undefined before there are two of either. */
export async function lossesOf(directory: string, lastStep: number): Promise<SftResult["loss"]> {
  const run = await openRun(directory);
  const heldOut = await ends(run.read("evals"), "loss/mean", lastStep);
  if (heldOut !== undefined) return { of: "held-out", ...heldOut };
  const batches = await ends(run.read("updates"), "update/loss", lastStep);
  return batches === undefined ? undefined : { of: "batches", ...batches };
}

/** Rows after `lastStep` belong to updates that no checkpoint kept. */
async function ends(
  rows: AsyncIterable<{ readonly value: MetricRow }>,
  metric: string,
  lastStep: number,
): Promise<{ readonly before: number; readonly after: number } | undefined> {
  const values = new Map<number, number>();
  for await (const { value } of rows) {
    const found = value[metric];
    if (typeof found === "number" && value.step <= lastStep) values.set(value.step, found);
  }
  if (values.size < 2) return undefined;
  const steps = [...values.keys()].sort((a, b) => a - b);
  const before = values.get(steps[0] ?? 0) ?? 0;
  return { before, after: values.get(steps.at(-1) ?? 0) ?? 0 };
}
