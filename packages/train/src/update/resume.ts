// What a killed run left: its last checkpoint, and the rollouts that are still good. Everything after the checkpoint is superseded: the ledger says so,
// and rollouts of policies up to it are taken as they are instead of being run again.
import type { CheckpointRef, GroupId, Json, Rollout, RolloutId } from "@hone/core";
import { type LedgerRow, openRun, rolloutSteps, type RunReader, type RunWriter } from "@hone/store";
import * as z from "zod";

export interface Resumed {
  /** Updates that are certain; 0 before the first checkpoint. */
  readonly step: number;
  readonly from: CheckpointRef | undefined;
  readonly state: SavedState | undefined;
  /** Checkpoints, oldest first. */
  readonly checkpoints: readonly CheckpointRef[];
  /** Steps that were evaluated. */
  readonly evaluated: ReadonlySet<number>;
  readonly rollouts: ReadonlyMap<RolloutId, Rollout>;
}

export const nothingResumed: Resumed = {
  step: 0,
  from: undefined,
  state: undefined,
  checkpoints: [],
  evaluated: new Set(),
  rollouts: new Map(),
};

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

/** Rollouts that finished longer ago than this many updates are not looked for: run again they are fresh. */
const reach = 8;

/** Reads what is there, and marks in the ledger what no longer counts. */
export async function resume(writer: RunWriter): Promise<Resumed> {
  const run = await openRun(writer.directory);
  const checkpoints: CheckpointRef[] = [];
  let step = 0;
  let state: SavedState | undefined;
  for await (const { value } of run.read("checkpoints")) {
    step = value.step;
    checkpoints.push({ checkpoint: value.engine });
    state = SavedState.parse(value.state);
  }
  const evaluated = new Set<number>();
  for await (const { value } of run.read("evals")) evaluated.add(value.step);
  const ledger = await lastRows(run);
  const found = await recentRollouts(run, step);
  await supersede(writer, { ledger, found, step });
  const rollouts = new Map<RolloutId, Rollout>();
  for (const rollout of found) {
    const row = ledger.get(rollout.group);
    const isSpent = row !== undefined && row.step <= step && row.outcome !== "superseded";
    // By the place in its group: a retried one took the place of the attempt that failed.
    const place = rollout.id.replace(/~\d+$/, "") as RolloutId;
    if (!isSpent && rollout.failure === undefined && newestVersion(rollout) <= step) rollouts.set(place, rollout);
  }
  return { step, from: checkpoints.at(-1), state, checkpoints, evaluated, rollouts };
}

interface Left {
  readonly ledger: ReadonlyMap<GroupId, LedgerRow>;
  readonly found: readonly Rollout[];
  readonly step: number;
}

/** Groups that were in a batch after the checkpoint: their samples are in no weights that survive. And those that were in none yet. */
async function supersede(writer: RunWriter, { ledger, found, step }: Left): Promise<void> {
  for (const row of ledger.values()) {
    if (row.step > step && row.outcome !== "superseded")
      await writer.append("groups", { ...row, outcome: "superseded" });
  }
  const loose = new Map<GroupId, Rollout[]>();
  for (const rollout of found) {
    if (ledger.has(rollout.group)) continue;
    const known = loose.get(rollout.group);
    if (known === undefined) loose.set(rollout.group, [rollout]);
    else known.push(rollout);
  }
  for (const [group, rollouts] of loose) {
    const ids = [...new Set(rollouts.map(({ id }) => id))];
    const env = rollouts[0]?.env ?? "";
    const row = { group, env, rollouts: ids, outcome: "superseded", step: step + 1, attempt: 0 } as const;
    await writer.append("groups", row);
  }
}

async function recentRollouts(run: RunReader, step: number): Promise<Rollout[]> {
  const found: Rollout[] = [];
  for (const at of await rolloutSteps(run.directory)) {
    if (at <= step - reach) continue;
    for await (const rollout of run.rollouts({ step: at })) found.push(rollout);
  }
  return found;
}

async function lastRows(run: RunReader): Promise<Map<GroupId, LedgerRow>> {
  const last = new Map<GroupId, LedgerRow>();
  for await (const { value } of run.read("groups")) last.set(value.group, value);
  return last;
}

function newestVersion({ nodes }: Rollout): number {
  let newest = 0;
  for (const { tokens } of nodes)
    for (const version of tokens?.policyVersion.values ?? []) newest = Math.max(newest, version);
  return newest;
}
