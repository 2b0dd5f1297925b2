// The policy of a run as files that others load: a PEFT adapter in adapter/, or a whole model in model/ where all weights were trained.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AdapterSpec, CheckpointRef, Engine } from "@hone/core";
import { runPaths } from "@hone/store";

export interface ExportOptions {
  readonly engine: Engine;
  readonly adapter: AdapterSpec | "full";
  readonly from: CheckpointRef;
  readonly output: string;
}

/** Opens the engine anew from the checkpoint: what is exported is what resuming goes on from. */
export async function exportPolicy({ engine, adapter, from, output }: ExportOptions): Promise<void> {
  const trainer = await engine.open({ model: engine.info.model, adapter, from });
  await trainer.export(output);
}

/** Where the policy of a run goes; one of a step before its last does not take that place. */
export function policyFolder(directory: string, adapter: AdapterSpec | "full", earlierStep?: number): string {
  const folder = adapter === "full" ? join(directory, "model") : runPaths(directory).adapter;
  return earlierStep === undefined ? folder : `${folder}-step-${earlierStep}`;
}

/** The folder with what a run exported, where it has. */
export function exportedPolicy(directory: string): string | undefined {
  return [runPaths(directory).adapter, join(directory, "model")].find((folder) => existsSync(folder));
}
