// What held-out rollouts scored, by task and index, and what two such rows say together: the gain, paired, with its interval.
import type { Rollout } from "@hone/core";
import { type Estimate, type Evaluation, pairedDifference } from "@hone/eval";
import * as z from "zod";

/** One evaluation of one environment. A rollout that failed is null. */
export interface HeldOutRow {
  readonly step: number;
  readonly env: string;
  /** By task id, then by index: `reward`, and every reward and metric that the environment declares. */
  readonly values: Readonly<Record<string, readonly (Readonly<Record<string, number>> | null)[]>>;
}

export const HeldOutRow: z.ZodType<HeldOutRow, unknown> = z.strictObject({
  step: z.int().min(0),
  env: z.string(),
  values: z.record(z.string(), z.array(z.record(z.string(), z.number()).nullable())),
});

/** `own` are the names of the environment's rewards and metrics; counts that every rollout has are left out. */
export function valuesOf(rollouts: readonly Rollout[], own: readonly string[]): HeldOutRow["values"] {
  const values: Record<string, (Readonly<Record<string, number>> | null)[]> = {};
  for (const rollout of [...rollouts].sort(byPlace)) {
    const task = (values[rollout.taskId] ??= []);
    while (task.length < rollout.index) task.push(null);
    task[rollout.index] = valuesOfOne(rollout, own);
  }
  return values;
}

function byPlace(a: Rollout, b: Rollout): number {
  return a.taskId === b.taskId ? a.index - b.index : a.taskId < b.taskId ? -1 : 1;
}

function valuesOfOne({ failure, agents: [agent] }: Rollout, own: readonly string[]): Record<string, number> | null {
  const reward = agent?.reward ?? null;
  if (failure !== undefined || agent === undefined || reward === null) return null;
  const named = own.flatMap((name): [string, number][] => {
    const value = agent.rewards[name]?.value ?? agent.metrics[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(named), reward };
}

/** `reward/exact/ci95`, `rollout/exact/ci95`: intervals of what the environment declares. */
export function intervalColumns(evaluation: Evaluation, own: readonly string[]): Record<string, readonly number[]> {
  return Object.fromEntries(
    own.flatMap((name) => {
      const [prefix, estimate] = columnOf(name, evaluation);
      return estimate?.ci95 ? [[`${prefix}/${name}/ci95`, estimate.ci95]] : [];
    }),
  );
}

/** `reward/gain` since the start, and the same for each reward and metric: `rollout/exact/gain`. */
export function gainColumns(
  before: HeldOutRow,
  after: HeldOutRow,
  evaluation: Evaluation,
): Record<string, number | readonly number[]> {
  const names = new Set(Object.values(after.values).flatMap((task) => task.flatMap((one) => Object.keys(one ?? {}))));
  const columns: [string, number | readonly number[]][] = [];
  for (const name of names) {
    const difference = pairedDifference(pairsOf(before, after, name))?.difference;
    if (difference === undefined) continue;
    const prefix = name === "reward" ? "reward" : `${columnOf(name, evaluation)[0]}/${name}`;
    columns.push([`${prefix}/gain`, difference.mean]);
    if (difference.ci95 !== null) columns.push([`${prefix}/gain_ci95`, difference.ci95]);
  }
  return Object.fromEntries(columns);
}

function pairsOf(before: HeldOutRow, after: HeldOutRow, name: string): (readonly [number, number])[][] {
  return Object.entries(after.values).map(([task, values]) =>
    values.flatMap((value, index) => {
      const [from, to] = [before.values[task]?.[index]?.[name], value?.[name]];
      return from === undefined || to === undefined ? [] : [[from, to] as const];
    }),
  );
}

/** Rewards that count are under `reward/`, metrics under `rollout/`, as in the other columns of the row. */
function columnOf(name: string, evaluation: Evaluation): readonly [prefix: string, estimate: Estimate | undefined] {
  return name in evaluation.rewards ? ["reward", evaluation.rewards[name]] : ["rollout", evaluation.metrics[name]];
}
