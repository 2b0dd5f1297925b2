// The groups of a saved evaluation, each whole and with its task, as they come up in the files. Rollouts of one task finish near each other,
// so only the groups that are open at a time are held.
import type { Rollout, Task, TaskId } from "@hone/core";
import type { LogRow, RunReader, TaskRow } from "@hone/store";
import { readLatest } from "./resume.ts";

export interface SavedGroup {
  /** Undefined when tasks.jsonl does not have it. */
  readonly task: Task | undefined;
  /** By index. */
  readonly rollouts: readonly Rollout[];
}

/** `sizes`: how many rollouts each task has. */
export async function* savedGroups(run: RunReader, sizes: ReadonlyMap<TaskId, number>): AsyncGenerator<SavedGroup> {
  const tasks = new TaskCursor(run);
  const open = new Map<TaskId, Rollout[]>();
  const close = async (id: TaskId, rollouts: Rollout[]): Promise<SavedGroup> => {
    open.delete(id);
    return { task: await tasks.take(id), rollouts: rollouts.sort((a, b) => a.index - b.index) };
  };
  try {
    for await (const rollout of readLatest(run.directory)) {
      const rollouts = [...(open.get(rollout.taskId) ?? []), rollout];
      open.set(rollout.taskId, rollouts);
      if (rollouts.length === sizes.get(rollout.taskId)) yield await close(rollout.taskId, rollouts);
    }
    // Rows whose tokens cannot be read are missing here; the rest of their group is still a group.
    for (const [id, rollouts] of open) yield await close(id, rollouts);
  } finally {
    await tasks.close();
  }
}

/** Tasks by id, read as far as needed: a task is written before its rollouts, so those held are few. */
class TaskCursor {
  readonly #rows: AsyncGenerator<LogRow<TaskRow>>;
  readonly #ahead = new Map<TaskId, Task>();

  constructor(run: RunReader) {
    this.#rows = run.read("tasks", { onBadRow: () => undefined });
  }

  async take(id: TaskId): Promise<Task | undefined> {
    while (!this.#ahead.has(id)) {
      const next = await this.#rows.next();
      if (next.done === true) return undefined;
      this.#ahead.set(next.value.value.task.id, next.value.value.task);
    }
    const task = this.#ahead.get(id);
    this.#ahead.delete(id);
    return task;
  }

  async close(): Promise<void> {
    await this.#rows.return(undefined);
  }
}
