// The arithmetic of comparing two evaluations by task.
import type { TaskItem } from "./api-types.ts";

export interface TaskChange {
  readonly taskId: string;
  readonly from: number;
  readonly to: number;
  readonly change: number;
}
export interface TaskComparison {
  /** Largest first. */
  readonly changes: readonly TaskChange[];
  readonly gained: number;
  readonly lost: number;
  readonly same: number;
  /** Tasks that only one of them scored. */
  readonly alone: number;
}

export function compareTasks(before: readonly TaskItem[], after: readonly TaskItem[]): TaskComparison {
  const rewards = new Map(before.flatMap((task) => (task.reward === null ? [] : [[keyOf(task), task.reward]])));
  const changes: TaskChange[] = [];
  let [same, both] = [0, 0];
  for (const task of after) {
    const from = rewards.get(keyOf(task));
    if (from === undefined || task.reward === null) continue;
    both++;
    const change = task.reward - from;
    if (change === 0) same++;
    else changes.push({ taskId: task.taskId, from, to: task.reward, change });
  }
  changes.sort((a, b) => Math.abs(b.change) - Math.abs(a.change) || (a.taskId < b.taskId ? -1 : 1));
  const gained = changes.filter(({ change }) => change > 0).length;
  const scoredAfter = after.filter(({ reward }) => reward !== null).length;
  return { changes, gained, lost: changes.length - gained, same, alone: rewards.size + scoredAfter - 2 * both };
}

function keyOf({ env, taskId }: TaskItem): string {
  return `${env}\n${taskId}`;
}
