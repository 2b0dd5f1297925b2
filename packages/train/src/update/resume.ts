// What a killed run left: its last checkpoint, and the rollouts that are still good. Everything after the checkpoint is superseded: the ledger says so,
// and rollouts of policies up to it are taken as they are instead of being run again.
import type { CheckpointRef, Json, Rollout, RolloutId } from "@hone/core";
import { type LedgerRow, openRun, type RunWriter } from "@hone/store";
import * as z from "zod";

export interface Resumed {
  /** Updates that are certain; 0 before the first checkpoint. */
  readonly step: number;
  readonly from: CheckpointRef | undefined;
  readonly state: SavedState | undefined;
  readonly rollouts: ReadonlyMap<RolloutId, Rollout>;
}

const SavedState = z.strictObject({
  curriculum: z.json(),
  collector: z.json(),
  algorithms: z.record(z.string(), z.json()),
});
/** The part of a checkpoint that is ours. */
export interface SavedState {
  readonly curriculum: Json;
  readonly collector: Json;
  readonly algorithms: Readonly<Record<string, Json>>;
}

export async function readResumed(directory: string): Promise<Resumed> {
  const run = await openRun(directory);
  let step = 0;
  let from: CheckpointRef | undefined;
  let state: SavedState | undefined;
  for await (const { value } of run.read("checkpoints")) {
    step = value.step;
    from = { checkpoint: value.engine };
    state = SavedState.parse(value.state);
  }
  const ledger = await lastRows(run.read("groups"));
  const rollouts = new Map<RolloutId, Rollout>();
  for await (const rollout of run.rollouts()) {
    const row = ledger.get(rollout.group);
    const isSpent = row !== undefined && row.step <= step && row.outcome !== "superseded";
    if (!isSpent && rollout.failure === undefined && newestVersion(rollout) <= step) rollouts.set(rollout.id, rollout);
  }
  return { step, from, state, rollouts };
}

/** Groups that were in a batch after the checkpoint are marked: their samples are in no weights that survive. */
export async function supersede(writer: RunWriter, step: number): Promise<void> {
  const run = await openRun(writer.directory);
  for (const row of (await lastRows(run.read("groups"))).values()) {
    if (row.step > step && row.outcome !== "superseded")
      await writer.append("groups", { ...row, outcome: "superseded" });
  }
}

async function lastRows(rows: AsyncIterable<{ readonly value: LedgerRow }>): Promise<Map<string, LedgerRow>> {
  const last = new Map<string, LedgerRow>();
  for await (const { value } of rows) last.set(value.group, value);
  return last;
}

function newestVersion({ nodes }: Rollout): number {
  return Math.max(0, ...nodes.flatMap(({ tokens }) => tokens?.policyVersion.values ?? []));
}
