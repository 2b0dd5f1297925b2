// The arithmetic of comparing two evaluations by task.
import type { TaskItem } from "./rollout-types.ts";

export interface TaskChange {
  readonly env: string;
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
  /** Of the tasks that both scored; null without one. */
  readonly mean: MeanChange | null;
}
export interface MeanChange {
  readonly change: number;
  /** 95 %, over tasks; null for fewer than two. */
  readonly interval: readonly [number, number] | null;
}

export function compareTasks(before: readonly TaskItem[], after: readonly TaskItem[]): TaskComparison {
  const rewards = new Map(before.flatMap((task) => (task.reward === null ? [] : [[keyOf(task), task.reward]])));
  const changes: TaskChange[] = [];
  const all: number[] = [];
  let same = 0;
  for (const task of after) {
    const from = rewards.get(keyOf(task));
    if (from === undefined || task.reward === null) continue;
    const change = task.reward - from;
    all.push(change);
    if (change === 0) same++;
    else changes.push({ env: task.env, taskId: task.taskId, from, to: task.reward, change });
  }
  changes.sort((a, b) => Math.abs(b.change) - Math.abs(a.change) || (a.taskId < b.taskId ? -1 : 1));
  const gained = changes.filter(({ change }) => change > 0).length;
  const scoredAfter = after.filter(({ reward }) => reward !== null).length;
  const alone = rewards.size + scoredAfter - 2 * all.length;
  return { changes, gained, lost: changes.length - gained, same, alone, mean: meanOf(all) };
}

/** The same tasks twice: their differences vary less than the tasks do, so the interval is that of the differences. */
function meanOf(all: readonly number[]): MeanChange | null {
  if (all.length === 0) return null;
  const change = all.reduce((sum, one) => sum + one, 0) / all.length;
  if (all.length < 2) return { change, interval: null };
  const variance = all.reduce((sum, one) => sum + (one - change) ** 2, 0) / (all.length - 1);
  const half = 1.96 * Math.sqrt(variance / all.length);
  return { change, interval: [change - half, change + half] };
}

function keyOf({ env, taskId }: TaskItem): string {
  return `${env}\n${taskId}`;
}
