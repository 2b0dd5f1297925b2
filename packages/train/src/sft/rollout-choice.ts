// Which saved rollouts are imitated: by reward, by rank within their task, by environment. Failed ones never are.
import type { Rollout, RolloutId } from "@hone/core";
import { readRollouts } from "@hone/store";

export interface RolloutFilter {
  /** Only of this environment. */
  readonly env?: string;
  /** Only with at least this reward. */
  readonly minReward?: number;
  /** Of each task's rollouts this part, the best first; at least one. */
  readonly topFraction?: number;
  /** Of each task at most so many, the best first. */
  readonly maxPerTask?: number;
  /** Also those that a limit cut off. */
  readonly isTruncatedKept?: boolean;
}

export interface Choice {
  readonly ids: ReadonlySet<RolloutId>;
  /** Rollouts in the folder, failed ones included. */
  readonly found: number;
}

interface Candidate {
  readonly id: RolloutId;
  readonly reward: number;
}

/** Rewards are read without tokens: what is not chosen costs no memory. */
export async function chooseRollouts(directory: string, filter: RolloutFilter): Promise<Choice> {
  const tasks = new Map<string, Map<RolloutId, Candidate>>();
  const found = new Set<RolloutId>();
  for await (const rollout of readRollouts(directory, { tokens: false })) {
    found.add(rollout.id);
    const key = `${rollout.env}\n${rollout.taskId}`;
    const candidates = tasks.get(key) ?? new Map<RolloutId, Candidate>();
    const reward = rollout.agents[0]?.reward ?? null;
    // A rollout that was run again replaces its earlier self.
    if (reward === null || !isAllowed(rollout, filter)) candidates.delete(rollout.id);
    else candidates.set(rollout.id, { id: rollout.id, reward });
    tasks.set(key, candidates);
  }
  const ids = new Set<RolloutId>();
  for (const candidates of tasks.values()) {
    for (const { id } of best([...candidates.values()], filter)) ids.add(id);
  }
  return { ids, found: found.size };
}

function isAllowed(rollout: Rollout, { env, isTruncatedKept = false }: RolloutFilter): boolean {
  if (rollout.failure !== undefined || (rollout.truncated && !isTruncatedKept)) return false;
  return env === undefined || rollout.env === env;
}

/** The order of the file decides between equals. */
function best(candidates: readonly Candidate[], filter: RolloutFilter): Candidate[] {
  const { minReward = Number.NEGATIVE_INFINITY, topFraction = 1, maxPerTask = Number.POSITIVE_INFINITY } = filter;
  const ranked = candidates.toSorted((a, b) => b.reward - a.reward);
  const most = Math.min(maxPerTask, Math.max(1, Math.ceil(topFraction * ranked.length)));
  return ranked.slice(0, most).filter(({ reward }) => reward >= minReward);
}
