// A task without the fields that the rewards need is named when it is read, not at step 400.
import { HoneError, type Task, type Taskset } from "@hone/core";
import * as z from "zod";
import { tasksetFrom } from "./taskset.ts";

export function checkedTasks(taskset: Taskset, fields: readonly z.ZodObject[], env: string): Taskset {
  if (fields.length === 0) return taskset;
  return tasksetFrom(() => check(taskset, fields, env), taskset.size === undefined ? {} : { size: taskset.size });
}

async function* check(taskset: Taskset, fields: readonly z.ZodObject[], env: string): AsyncGenerator<Task<object>> {
  for await (const task of taskset) {
    for (const schema of fields) {
      const parsed = schema.safeParse(task);
      if (parsed.success) continue;
      throw new HoneError(`Task ${task.id} of ${env} lacks what its rewards read:\n${z.prettifyError(parsed.error)}`, {
        code: "task-fields",
        hint: `Its fields are: ${Object.keys(task).join(", ")}.`,
      });
    }
    yield task;
  }
}
