// What a checkpoint of fine-tuning remembers besides the weights: where the mixture stands, what was counted, and of which data.
import { type CheckpointRef, HoneError } from "@hone/core";
import { openRun } from "@hone/store";
import * as z from "zod";

export const SavedState = z.strictObject({
  kind: z.literal("sft"),
  /** Draws from each source. */
  drawn: z.array(z.int().min(0)),
  dropped: z.int().min(0),
  cut: z.int().min(0),
  data: z.string().describe("fingerprint of the corpus"),
});
export type SavedState = z.output<typeof SavedState>;

export interface Resumed {
  /** Updates that are certain; 0 before the first checkpoint. */
  readonly step: number;
  readonly state: SavedState | undefined;
  /** Checkpoints that may still lie on the disk, oldest first; the last one is the one to go on from. */
  readonly checkpoints: readonly CheckpointRef[];
}

export async function readResumed(directory: string): Promise<Resumed> {
  const run = await openRun(directory);
  let step = 0;
  let state: SavedState | undefined;
  const names = new Set<string>();
  for await (const { value } of run.read("checkpoints")) {
    const parsed = SavedState.safeParse(value.state);
    if (!parsed.success) throw notSft(directory);
    step = value.step;
    state = parsed.data;
    // Written again after a kill: its place is the last.
    names.delete(value.engine);
    names.add(value.engine);
  }
  return { step, state, checkpoints: [...names].map((checkpoint) => ({ checkpoint })) };
}

/** The order of a run is that of its data. */
export function checkData(state: SavedState | undefined, fingerprint: string): void {
  if (state === undefined || state.data === fingerprint) return;
  throw new HoneError("The data of this run has changed since its last checkpoint.", {
    code: "data-changed",
    hint: "Put the files back as they were, or start a new run.",
  });
}

function notSft(directory: string): HoneError {
  return new HoneError(`${directory} is not a run of hone sft.`, {
    code: "not-a-run",
    hint: "Runs of hone train go on with hone train --resume.",
  });
}
