// The row of an update: rewards per environment over all finished rollouts and over the trained ones, what became of the groups, and how rollouts went.
import type { Rollout } from "@hone/core";
import type { JudgedGroup } from "../schedule/collect.ts";
import { rewardOf } from "../schedule/judge.ts";

export function collectedMetrics(judged: readonly JudgedGroup[]): Record<string, number> {
  const all = judged.flatMap(({ group }) => group.rollouts);
  const trained = judged.flatMap(({ group, verdict }) => (verdict === "trained" ? group.rollouts : []));
  const metrics: Record<string, number> = {
    "reward/mean": mean(all.map(rewardOf)),
    "reward/trained/mean": mean(trained.map(rewardOf)),
    "task/groups": judged.length,
    "rollout/count": all.length,
    "rollout/failed": judged.reduce((sum, { group }) => sum + group.failed.length, 0),
    "rollout/truncated": mean(all.map(({ truncated }) => Number(truncated))),
    "rollout/seconds": mean(all.map(({ timing }) => timing.durationMs / 1000)),
  };
  for (const verdict of ["trained", "no_signal", "stale", "failed"] as const) {
    metrics[`task/${verdict}`] = judged.filter((one) => one.verdict === verdict).length;
  }
  for (const [env, rollouts] of byEnvironment(all)) {
    metrics[`reward/${env}/mean`] = mean(rollouts.map(rewardOf));
    for (const [name, values] of named(rollouts, ({ rewards }) =>
      Object.entries(rewards).map(([key, { value }]) => [key, value]),
    )) {
      metrics[`reward/${env}/${name}`] = mean(values);
    }
    for (const [name, values] of named(rollouts, ({ metrics: own }) => Object.entries(own))) {
      metrics[`rollout/${env}/${name}`] = mean(values);
    }
  }
  return metrics;
}

function byEnvironment(rollouts: readonly Rollout[]): Map<string, Rollout[]> {
  const groups = new Map<string, Rollout[]>();
  for (const rollout of rollouts) groups.set(rollout.env, [...(groups.get(rollout.env) ?? []), rollout]);
  return groups;
}

function named(
  rollouts: readonly Rollout[],
  of: (agent: Rollout["agents"][number]) => readonly (readonly [string, number])[],
): Map<string, number[]> {
  const values = new Map<string, number[]>();
  for (const { agents } of rollouts) {
    for (const [name, value] of agents[0] === undefined ? [] : of(agents[0])) {
      const known = values.get(name);
      if (known === undefined) values.set(name, [value]);
      else known.push(value);
    }
  }
  return values;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
