// Tasks by how well they are solved, over all rollouts of a run that count: the hardest, the easiest, and how the rest spread between them.
import type { RankedTask, TaskPage } from "../app/rollout-types.ts";
import type { RolloutIndex } from "./rollout-index.ts";

interface Sum {
  readonly env: string;
  readonly taskId: string;
  rollouts: number;
  solved: number;
  /** Newest first, one for each that was scored. */
  readonly rewards: number[];
  total: number;
}

/** The threshold of pass@k: half of the usual full reward. */
const solvedFrom = 0.5;
const trendPoints = 16;
const bins = 10;

/** Tasks by reward, the least first. Made once for each state of the index. */
export class TaskRanks {
  #made: { readonly version: number; readonly scored: readonly Sum[]; readonly total: number } | undefined;

  page(index: RolloutIndex, most: number): TaskPage {
    const { scored, total } = this.#sums(index);
    const half = Math.min(most, Math.ceil(scored.length / 2));
    const solveRates = Array.from({ length: bins }, () => 0);
    for (const sum of scored) {
      const bin = Math.min(bins - 1, Math.floor(solveRate(sum) * bins));
      solveRates[bin] = (solveRates[bin] ?? 0) + 1;
    }
    return {
      hardest: scored.slice(0, half).map(toItem),
      easiest: scored.slice(half).slice(-most).toReversed().map(toItem),
      solveRates,
      total,
      isIndexed: index.isComplete,
    };
  }

  #sums(index: RolloutIndex): { readonly scored: readonly Sum[]; readonly total: number } {
    const { version } = index;
    if (this.#made?.version === version) return this.#made;
    const sums = new Map<string, Map<string, Sum>>();
    let total = 0;
    for (const { env, taskId, reward } of index.newestFirst()) {
      let tasks = sums.get(env);
      if (tasks === undefined) sums.set(env, (tasks = new Map()));
      let sum = tasks.get(taskId);
      if (sum === undefined) {
        tasks.set(taskId, (sum = { env, taskId, rollouts: 0, solved: 0, rewards: [], total: 0 }));
        total++;
      }
      sum.rollouts++;
      if (Number.isNaN(reward)) continue;
      sum.rewards.push(reward);
      sum.total += reward;
      if (reward >= solvedFrom) sum.solved++;
    }
    const scored = [...sums.values()]
      .flatMap((tasks) => [...tasks.values()])
      .filter(({ rewards }) => rewards.length > 0)
      .sort((a, b) => mean(a) - mean(b));
    this.#made = { version, scored, total };
    return this.#made;
  }
}

function mean({ total, rewards }: Sum): number {
  return total / rewards.length;
}

function solveRate({ solved, rewards }: Sum): number {
  return solved / rewards.length;
}

function toItem(sum: Sum): RankedTask {
  const { env, taskId, rollouts } = sum;
  return { env, taskId, rollouts, reward: mean(sum), solved: solveRate(sum), trend: trendOf(sum) };
}

/** Means of as many portions as are drawn, oldest first. */
function trendOf({ rewards }: Sum): readonly number[] {
  const count = Math.min(trendPoints, rewards.length);
  return Array.from({ length: count }, (_, portion) => {
    const end = rewards.length - Math.floor((portion * rewards.length) / count);
    const own = rewards.slice(rewards.length - Math.floor(((portion + 1) * rewards.length) / count), end);
    return own.reduce((sum, reward) => sum + reward, 0) / own.length;
  });
}
