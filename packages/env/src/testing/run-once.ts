// One rollout of an environment's first task, for tests: everything that is not given is the plainest choice.
import type {
  Environment,
  GroupId,
  Resources,
  Rollout,
  RolloutId,
  RolloutSettings,
  SandboxProvider,
  Task,
} from "@hone/core";
import { HoneError } from "@hone/core";

export interface RunOnceOptions extends Partial<Omit<Resources, "model">> {
  readonly model: Resources["model"];
  /** Default: the first one. */
  readonly task?: Task;
  readonly index?: number;
  readonly seed?: number;
  readonly settings?: RolloutSettings;
  readonly signal?: AbortSignal;
}

export async function runOnce(environment: Environment, options: RunOnceOptions): Promise<Rollout> {
  const {
    task = await firstTask(environment),
    index = 0,
    seed = 0,
    settings = {},
    signal = new AbortController().signal,
    ...resources
  } = options;
  const group = `${environment.info.name}:${task.id}` as GroupId;
  return environment.rollout({
    task,
    identity: { id: `${group}#${index}` as RolloutId, group, index, attempt: 0, seed },
    resources: { models: noModel, sandboxes: noSandboxes, harness: undefined, sampling: {}, ...resources },
    settings,
    signal,
  });
}

export async function firstTask(environment: Environment): Promise<Task> {
  for await (const task of environment.tasks("all").head(1)) return task;
  throw new HoneError(`${environment.info.name} has no tasks.`, { code: "no-tasks" });
}

/** What `models` is when nobody gave a judge. */
export function noModel(name: string): never {
  throw new HoneError(`The model ${name} is not given here.`, { code: "unknown-model" });
}

export const noSandboxes: SandboxProvider = {
  name: "none",
  open: () => Promise.reject(new HoneError("No sandbox is given here.", { code: "sandbox-none" })),
};
