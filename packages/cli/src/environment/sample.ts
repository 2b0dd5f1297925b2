// One task of an environment and the prompt a model would get for it. The prompt comes out of a real rollout whose model only listens.
import type { Environment, Message, Task, Taskset } from "@hone/core";
import { single } from "@hone/env";
import { runOnce, scriptedModel } from "@hone/env/testing";

export interface Sample {
  readonly task: Task;
  /** Undefined when the rollout ended before the model was asked: it needs a sandbox, for example. */
  readonly prompt: readonly Message[] | undefined;
  readonly problem?: string;
}

export async function sampleOf(environment: Environment): Promise<Sample | undefined> {
  for await (const task of environment.tasks("all").head(1)) {
    let prompt: readonly Message[] | undefined;
    const listener = scriptedModel(({ messages }) => {
      prompt ??= messages;
      return "";
    });
    const { failure } = await runOnce(environment, { task, model: listener, harness: single });
    return { task, prompt, ...(prompt === undefined && failure !== undefined ? { problem: failure.message } : {}) };
  }
  return undefined;
}

const mostCounted = 100_000;

/** How many tasks there are: Infinity when they never end, "many" when counting was given up. */
export async function countTasks(tasks: Taskset): Promise<number | "many"> {
  if (tasks.size !== undefined) return tasks.size;
  let count = 0;
  for await (const _task of tasks) if (++count > mostCounted) return "many";
  return count;
}
