// Several environments as one. Tasks are interleaved and routed by the first part of their id; everything else is the member's own.
import type {
  Environment,
  EnvironmentInfo,
  Rollout,
  RolloutRequest,
  ScoreRequest,
  Split,
  Task,
  TaskId,
  Taskset,
} from "@hone/core";
import { HoneError } from "@hone/core";
import { interleave } from "./task/taskset.ts";

export interface EnvGroupOptions {
  readonly name: string;
  /** By the key that starts the ids of its tasks: `math/3f2a…`. */
  readonly members: Readonly<Record<string, Environment & { gold?(task: Task): readonly string[] | undefined }>>;
}

export class EnvGroup implements Environment {
  readonly kind = "hone/environment";
  readonly info: EnvironmentInfo;
  readonly #members: EnvGroupOptions["members"];

  constructor({ name, members }: EnvGroupOptions) {
    this.#members = members;
    const infos = Object.values(members).map(({ info }) => info);
    this.info = {
      name,
      tools: infos.flatMap(({ tools }) => tools),
      rewards: Object.assign({}, ...infos.map(({ rewards }) => rewards)) as EnvironmentInfo["rewards"],
      hasEvalTasks: infos.some(({ hasEvalTasks }) => hasEvalTasks),
      comparesGroups: infos.some(({ comparesGroups }) => comparesGroups),
    };
  }

  tasks(which: Split): Taskset {
    return interleave(
      Object.fromEntries(Object.entries(this.#members).map(([key, member]) => [key, member.tasks(which)])),
    );
  }

  gold(task: Task): readonly string[] | undefined {
    const { member, own } = this.#route(task);
    return member.gold?.(own);
  }

  async rollout(request: RolloutRequest): Promise<Rollout> {
    const { key, member, own } = this.#route(request.task);
    const settings = { ...request.settings, name: request.settings?.name ?? this.info.name };
    const rollout = await member.rollout({ ...request, task: own, settings });
    return { ...rollout, taskId: request.task.id, info: { ...rollout.info, member: key } };
  }

  async score(request: ScoreRequest): Promise<readonly Rollout[]> {
    const { member, own } = this.#route(request.task);
    return member.score({ ...request, task: own });
  }

  #route(task: Task): {
    readonly key: string;
    readonly member: EnvGroupOptions["members"][string];
    readonly own: Task;
  } {
    const slash = task.id.indexOf("/");
    const key = task.id.slice(0, Math.max(0, slash));
    const member = Object.hasOwn(this.#members, key) ? this.#members[key] : undefined;
    if (member !== undefined) return { key, member, own: { ...task, id: task.id.slice(slash + 1) as TaskId } };
    throw new HoneError(`Task ${task.id} belongs to no member of ${this.info.name}.`, {
      code: "unknown-task",
      hint: `Its id must start with one of: ${Object.keys(this.#members)
        .map((name) => `${name}/`)
        .join(", ")}.`,
    });
  }
}
