// Which tasks are trained on: those of the configured split, less every task that is held out. The hash split keeps the two apart by itself;
// tasks that an environment declares for evaluation may overlap with those to train on, so they are compared by hash.
import { type Environment, type Split, type Task, taskHash, type Taskset } from "@hone/core";
import { endless, tasksetFrom } from "@hone/env";

export interface HeldOutTasks {
  readonly environment: Environment;
  readonly split: Split;
  readonly numTasks: number;
}

/** Hashes of the tasks that evaluations use. */
export async function heldOutHashes(environments: readonly HeldOutTasks[]): Promise<ReadonlySet<string>> {
  const hashes = new Set<string>();
  for (const { environment, split, numTasks } of environments) {
    for await (const task of environment.tasks(split).head(numTasks)) hashes.add(taskHash(task));
  }
  return hashes;
}

/** The environment, except that its tasks to train on are these. */
export function withTrainingTasks(environment: Environment, split: Split, heldOut: ReadonlySet<string>): Environment {
  return {
    kind: "hone/environment",
    info: environment.info,
    tasks: (which) => (which === "train" ? without(environment.tasks(split), heldOut) : environment.tasks(which)),
    rollout: (request) => environment.rollout(request),
    score: (request) => environment.score(request),
  };
}

function without(taskset: Taskset, heldOut: ReadonlySet<string>): Taskset {
  if (heldOut.size === 0) return taskset;
  const kept = async function* (): AsyncGenerator<Task> {
    for await (const task of taskset) if (!heldOut.has(taskHash(task))) yield task;
  };
  return taskset.size === Number.POSITIVE_INFINITY ? endless(kept) : tasksetFrom(kept);
}
