// What an evaluation says, as plain data: printed, sent as JSON, kept as one row of evals.jsonl.
import type { Boundary } from "@hone/core";
import type { MetricRow } from "@hone/store";
import type { Estimate } from "./statistics.ts";

export interface Evaluation {
  readonly env: string;
  readonly envVersion: string;
  readonly model: string;
  /** Where its rollouts are; null when they were not kept. */
  readonly directory: string | null;
  /** It was stopped before everything was run. */
  readonly interrupted: boolean;
  readonly tasks: number;
  /** Results, failed ones included. */
  readonly rollouts: number;
  /** Not in any mean of rewards; see `errors`. */
  readonly failed: number;
  /** The weighted total. Null when no rollout was scored. */
  readonly reward: Estimate | null;
  readonly rewards: Readonly<Record<string, Estimate>>;
  readonly metrics: Readonly<Record<string, Estimate>>;
  /** A rollout is correct from this reward on. */
  readonly passThreshold: number;
  readonly passes: readonly Pass[];
  readonly tokens: { readonly input: Spent; readonly output: Spent };
  readonly seconds: Durations | null;
  /** US dollars; null when no call says what it cost. Attempts that were retried are not counted. */
  readonly cost: Spent | null;
  readonly stops: readonly { readonly stop: string; readonly count: number }[];
  /** Share of the rollouts. */
  readonly truncated: number;
  readonly errors: readonly ErrorCount[];
  /** What a reader of the numbers should know. */
  readonly notes: readonly string[];
}

/** Over the tasks with at least k scored rollouts. */
export interface Pass {
  readonly k: number;
  /** At least one of k is correct. */
  readonly any: number;
  /** All of k are correct. */
  readonly all: number;
  readonly tasks: number;
}
/** Per rollout and in all, failed rollouts included. */
export interface Spent {
  readonly mean: number;
  readonly total: number;
}
export interface Durations {
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
}
export interface ErrorCount {
  readonly boundary: Boundary;
  readonly code: string;
  readonly count: number;
  /** Of the first one, in the order of the tasks' ids. */
  readonly message: string;
}

/** One flat row of evals.jsonl. What was not measured has no key. */
export function evaluationRow(evaluation: Evaluation, step = 0): MetricRow {
  const { reward, cost, seconds } = evaluation;
  return {
    step,
    env: evaluation.env,
    model: evaluation.model,
    n: evaluation.rollouts - evaluation.failed,
    tasks: evaluation.tasks,
    failed: evaluation.failed,
    ...(reward !== null && { "reward/mean": reward.mean }),
    ...(reward?.ci95 && { "reward/ci95": reward.ci95 }),
    ...means("reward", evaluation.rewards),
    ...means("rollout", evaluation.metrics),
    ...Object.fromEntries(
      evaluation.passes.flatMap(({ k, any, all }) => [
        [`pass@${k}`, any],
        [`pass^${k}`, all],
      ]),
    ),
    ...(seconds !== null && { "rollout/seconds": seconds.mean }),
    "rollout/truncated": evaluation.truncated,
    ...(cost !== null && { cost_usd: cost.total }),
  };
}

function means(prefix: string, estimates: Readonly<Record<string, Estimate>>): Record<string, number> {
  return Object.fromEntries(Object.entries(estimates).map(([name, { mean }]) => [`${prefix}/${name}`, mean]));
}
