// The row of an update, flat, named by the five words: rewards per environment over all finished rollouts and over the trained ones, what became of the
// groups, how rollouts went and where they failed. Environments of one run have different names, so `reward/<env>/...` is never ambiguous.
import type { AgentResult, Rollout } from "@hone/core";
import type { MetricValue } from "@hone/store";
import type { JudgedGroup } from "../schedule/collect.ts";
import { isStale, rewardOf } from "../schedule/judge.ts";
import type { Pool } from "../schedule/difficulty.ts";

export interface CollectedScope {
  readonly judged: readonly JudgedGroup[];
  readonly step: number;
  readonly maxOffPolicySteps: number;
  readonly pools: Readonly<Record<string, Readonly<Record<Pool, number>>>>;
}

type Metrics = Record<string, MetricValue>;

export function collectedMetrics({ judged, step, maxOffPolicySteps, pools }: CollectedScope): Metrics {
  const metrics: Metrics = {};
  addScope(metrics, "", judged);
  const trained = judged.filter(({ verdict }) => verdict === "trained");
  metrics["reward/trained/mean"] = mean(trained.flatMap(({ group }) => group.rollouts.map(rewardOf)));
  metrics["task/stale_kept"] = trained.filter(({ group }) => isStale(group, step, { maxOffPolicySteps })).length;
  for (const [env, groups] of byEnvironment(judged)) {
    addScope(metrics, `${env}/`, groups);
    const rollouts = groups.flatMap(({ group }) => group.rollouts);
    metrics[`reward/${env}/histogram`] = histogram(rollouts.map(rewardOf));
    addMeans(metrics, `reward/${env}`, rollouts, ({ rewards }) =>
      Object.entries(rewards).map(([name, { value }]) => [name, value]),
    );
    addMeans(metrics, `rollout/${env}`, rollouts, ({ metrics: own }) => Object.entries(own));
  }
  for (const [env, sizes] of Object.entries(pools)) {
    for (const [pool, size] of Object.entries(sizes)) metrics[`task/${env}/pool_${pool}`] = size;
  }
  return metrics;
}

/** What is said of the whole update and of each environment. `scope` is "" or "<env>/". */
function addScope(metrics: Metrics, scope: string, judged: readonly JudgedGroup[]): void {
  const rollouts = judged.flatMap(({ group }) => group.rollouts);
  const failed = judged.flatMap(({ group }) => [...group.failed, ...group.lost].filter(isFailed));
  metrics[`reward/${scope}mean`] = mean(rollouts.map(rewardOf));
  metrics[`rollout/${scope}count`] = rollouts.length;
  metrics[`rollout/${scope}truncated`] = mean(rollouts.map(({ truncated }) => Number(truncated)));
  metrics[`rollout/${scope}mean_seconds`] = mean(rollouts.map(({ timing }) => timing.durationMs / 1000));
  metrics[`rollout/${scope}failed`] = failed.length;
  for (const boundary of ["model", "tool", "sandbox", "reward", "environment"] as const) {
    const count = failed.filter(({ failure }) => failure?.boundary === boundary).length;
    if (count > 0 || scope === "") metrics[`rollout/${scope}failed/${boundary}`] = count;
  }
  metrics[`task/${scope}groups`] = judged.length;
  for (const verdict of ["trained", "no_signal", "stale", "failed"] as const) {
    metrics[`task/${scope}${verdict}`] = judged.filter((one) => one.verdict === verdict).length;
  }
}

function isFailed({ failure }: Rollout): boolean {
  return failure !== undefined;
}

/** Tokens that were sampled for these groups, trained on or not. */
export function sampledTokens(judged: readonly JudgedGroup[]): number {
  let count = 0;
  for (const { group } of judged) {
    for (const { nodes } of [...group.rollouts, ...group.failed])
      for (const { tokens } of nodes) count += tokens?.logprobs.length ?? 0;
  }
  return count;
}

/** Rewards counted by tenths of [0, 1]; those outside count at the ends. */
export function histogram(values: readonly number[]): number[] {
  const counts = Array.from({ length: 10 }, () => 0);
  for (const value of values) {
    const at = Math.min(9, Math.max(0, Math.floor(value * 10)));
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
}

function byEnvironment(judged: readonly JudgedGroup[]): Map<string, JudgedGroup[]> {
  const groups = new Map<string, JudgedGroup[]>();
  for (const one of judged) {
    const known = groups.get(one.group.ticket.env);
    if (known === undefined) groups.set(one.group.ticket.env, [one]);
    else known.push(one);
  }
  return groups;
}

/** Means of what the main agent's results name. */
function addMeans(
  metrics: Metrics,
  prefix: string,
  rollouts: readonly Rollout[],
  of: (agent: AgentResult) => readonly (readonly [string, number])[],
): void {
  const values = new Map<string, number[]>();
  for (const { agents } of rollouts) {
    for (const [name, value] of agents[0] === undefined ? [] : of(agents[0])) {
      const known = values.get(name);
      if (known === undefined) values.set(name, [value]);
      else known.push(value);
    }
  }
  for (const [name, own] of values) metrics[`${prefix}/${name}`] = mean(own);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
