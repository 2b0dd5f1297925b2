// Tasks by how well they are solved, over all rollouts of a run that count.
import type { TaskItem, TaskPage } from "../app/api-types.ts";
import type { RolloutIndex } from "./rollout-index.ts";

interface Sum {
  readonly env: string;
  readonly taskId: string;
  rollouts: number;
  scored: number;
  reward: number;
}

export function rankTasks(index: RolloutIndex, most: number): TaskPage {
  const sums = new Map<string, Sum>();
  for (const { env, taskId, reward } of index.newestFirst()) {
    const key = `${env} ${taskId}`;
    let sum = sums.get(key);
    if (sum === undefined) sums.set(key, (sum = { env, taskId, rollouts: 0, scored: 0, reward: 0 }));
    sum.rollouts++;
    if (Number.isNaN(reward)) continue;
    sum.scored++;
    sum.reward += reward;
  }
  const scored = [...sums.values()].filter((sum) => sum.scored > 0).sort((a, b) => mean(a) - mean(b));
  const half = Math.min(most, Math.ceil(scored.length / 2));
  return {
    hardest: scored.slice(0, half).map(toItem),
    easiest: scored.slice(half).slice(-most).toReversed().map(toItem),
    total: sums.size,
    isIndexed: index.isComplete,
  };
}

function mean({ reward, scored }: Sum): number {
  return reward / scored;
}

function toItem(sum: Sum): TaskItem {
  return { env: sum.env, taskId: sum.taskId, rollouts: sum.rollouts, reward: mean(sum) };
}
