// How a toy run ended, in a form that two runs can be compared by: everything on disk but times, as readers see it.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Rollout, Sample } from "@hone/core";
import { type LedgerRow, type MetricRow, openRun, stepName, weightsPath } from "@hone/store";
import { readSamples } from "../update/sample-file.ts";
import { replayUpdates } from "../update/replay.ts";
import { toyEngine, toyOptions } from "./toy-run.ts";

export interface Ended {
  readonly updates: readonly unknown[];
  readonly ledger: ReadonlyMap<string, LedgerRow>;
  readonly tasks: ReadonlyMap<string, unknown>;
  readonly samples: ReadonlyMap<number, readonly Sample[]>;
  readonly rollouts: ReadonlyMap<string, unknown>;
  readonly weights: string;
}

export const toySteps = 10;

export async function ended(directory: string): Promise<Ended> {
  const run = await openRun(directory);
  const updates = new Map<number, unknown>();
  for await (const { value } of run.read("updates")) updates.set(value.step, withoutTimes(value));
  const ledger = new Map<string, LedgerRow>();
  for await (const { value } of run.read("groups")) ledger.set(value.group, value);
  const tasks = new Map<string, unknown>();
  for await (const { value } of run.read("tasks")) tasks.set(value.task.id, value);
  const samples = new Map<number, Sample[]>();
  for (const name of (await readdir(join(directory, "samples"))).toSorted()) {
    const step = Number.parseInt(name, 10);
    samples.set(step, await readSamples(directory, step));
  }
  const rollouts = new Map<string, unknown>();
  for await (const rollout of run.rollouts()) rollouts.set(rollout.id, timeless(rollout));
  const weights = digest(await readFile(weightsPath(directory, toySteps)));
  return { updates: [...updates.values()], ledger, tasks, samples, rollouts, weights };
}

/** Weights of update `step`, as the run left them and made again from weights `step - 1` and samples/step. */
export async function madeAgain(
  directory: string,
  step: number,
): Promise<{ readonly was: string; readonly is: string }> {
  const { model, adapter, treatmentOf, optimizer, schedule } = toyOptions(directory);
  let saved: Uint8Array = new Uint8Array();
  const engine = toyEngine({
    read: (name) => readFile(join(directory, "weights", name)),
    write: async (_name, bytes) => void (saved = bytes),
  });
  const from = step === 1 ? {} : { from: { checkpoint: stepName(step - 1) } };
  const trainer = await engine.open({ model, adapter, ...from });
  const run = { directory, trainer, from: step - 1, to: step };
  await replayUpdates({ ...run, treatmentOf, optimizer, schedule, maxSteps: toySteps });
  await trainer.save("again");
  return { was: digest(await readFile(weightsPath(directory, step))), is: digest(saved) };
}

function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function withoutTimes(row: MetricRow): unknown {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !/(seconds|_per_second)$/.test(name)));
}

function timeless({ timing: _timing, calls, ...rest }: Rollout): unknown {
  return { ...rest, calls: calls.map(({ startedAtMs: _at, durationMs: _for, ...call }) => call) };
}
