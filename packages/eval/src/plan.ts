// Before the first rollout: options to a plan, with everything decided and checked. Which tasks, in which order, and who each rollout is.
// Identities and seeds depend on seed, environment, task and index alone: a repeated evaluation has the same ones at any concurrency.
import {
  type Environment,
  type GroupId,
  type Harness,
  HoneError,
  type JsonObject,
  type Model,
  type Rollout,
  type RolloutId,
  type RolloutIdentity,
  type RolloutSettings,
  type Sampling,
  type SandboxProvider,
  seedFrom,
  type Split,
  type TaskId,
  type Taskset,
} from "@hone/core";
import type { GoldOf, RetryPolicy } from "@hone/env";
import type { Price } from "@hone/model";
import type { Progress } from "./progress.ts";
import { defaultPassThreshold } from "./summary.ts";

export interface EvaluateOptions {
  readonly environment: Environment;
  /** Kept beside each task in `directory`, and seen by no model. The environment's own `gold` unless given. */
  readonly goldOf?: GoldOf;
  /** The model under test. */
  readonly model: Model;
  /** Judges and simulated users, by their name in endpoints.toml. */
  readonly models?: (name: string) => Model;
  readonly sandboxes?: SandboxProvider;
  readonly harness?: Harness;
  readonly settings?: RolloutSettings;
  /** "eval" where the environment declares held-out tasks, else "all". */
  readonly split?: Split;
  /** All unless given; must be given for endless tasks. */
  readonly numTasks?: number;
  /** Rollouts per task. 1 unless given. */
  readonly groupSize?: number;
  readonly sampling?: Sampling;
  /** Rollouts at a time. 32 unless given. */
  readonly concurrency?: number;
  readonly seed?: number;
  readonly shuffle?: boolean;
  /** One attempt unless given. */
  readonly retry?: RetryPolicy;
  /** Where results are kept. Without it they are only counted. */
  readonly directory?: string;
  /** Goes on with what is in `directory`; starts there when nothing is. */
  readonly resume?: boolean;
  /** Kept in run.toml and compared on resume: what decides the results and is not an option here (environment id, arguments). No null in it. */
  readonly config?: JsonObject;
  /** For calls that do not say what they cost. */
  readonly price?: Price;
  /** A rollout counts as correct from this reward on. 0.5 unless given. */
  readonly passThreshold?: number;
  /** How long rollouts may take to end after `signal` aborts. 5,000 unless given. */
  readonly graceMs?: number;
  /** After each result, and when environment code held the event loop. */
  readonly onProgress?: (progress: Progress) => void;
  /** Each result, when it is final. */
  readonly onRollout?: (rollout: Rollout) => void;
  readonly now?: () => number;
  /** Stops the evaluation: what is finished is kept, and the result says that it was interrupted. */
  readonly signal?: AbortSignal;
}

export interface Plan {
  /** The environment's name and version in this run. */
  readonly env: string;
  readonly version: string;
  readonly split: Split;
  readonly numTasks: number | undefined;
  readonly groupSize: number;
  readonly concurrency: number;
  readonly seed: number;
  readonly shuffle: boolean;
  readonly passThreshold: number;
  readonly tasks: Taskset;
  /** Rollouts in all, where the number of tasks is known. */
  readonly total: number | undefined;
}

export function planEvaluation(options: EvaluateOptions): Plan {
  const { environment, settings, numTasks, shuffle = false, seed = 0 } = options;
  const groupSize = count(options.groupSize ?? 1, "groupSize");
  const concurrency = count(options.concurrency ?? 32, "concurrency");
  if (numTasks !== undefined) count(numTasks, "numTasks");
  const split = options.split ?? (environment.info.hasEvalTasks ? "eval" : "all");
  const env = settings?.name ?? environment.info.name;
  const tasks = chooseTasks(environment.tasks(split), { env, numTasks, shuffle, seed });
  return {
    env,
    version: settings?.version ?? "0.0.0",
    split,
    numTasks,
    groupSize,
    concurrency,
    seed,
    shuffle,
    passThreshold: options.passThreshold ?? defaultPassThreshold,
    tasks,
    total: tasks.size === undefined ? undefined : tasks.size * groupSize,
  };
}

interface Choice {
  readonly env: string;
  readonly numTasks: number | undefined;
  readonly shuffle: boolean;
  readonly seed: number;
}

/** Shuffled first and then cut, so that asking for more tasks keeps those that were asked for before. */
function chooseTasks(all: Taskset, { env, numTasks, shuffle, seed }: Choice): Taskset {
  const isEndless = all.size === Number.POSITIVE_INFINITY;
  if (isEndless && numTasks === undefined) {
    throw new HoneError(`The tasks of ${env} never end: say how many to evaluate.`, {
      code: "endless-tasks",
      hint: "Give a number of tasks: -n 20 on the command line, num_tasks = 20 in a file, numTasks: 20 in code.",
    });
  }
  if (isEndless && shuffle) {
    throw new HoneError(`The tasks of ${env} never end and cannot be shuffled.`, {
      code: "endless-tasks",
      hint: "Leave shuffle out: the first ones are as good as any.",
    });
  }
  const ordered = shuffle ? all.shuffle(seedFrom(seed, env, "shuffle")) : all;
  return numTasks === undefined ? ordered : ordered.head(numTasks);
}

export function groupOf(env: string, task: TaskId): GroupId {
  return `${env}:${task}` as GroupId;
}

export interface Place {
  readonly env: string;
  readonly task: TaskId;
  readonly index: number;
  readonly attempt: number;
}

/** A further attempt has the seed of the first and an id of its own: see `attemptId`. */
export function identityOf({ env, task, index, attempt }: Place, seed: number): RolloutIdentity {
  const group = groupOf(env, task);
  const id = attemptId({ group, index, attempt });
  return { id, group, index, attempt, seed: seedFrom(seed, env, task, index) };
}

/** `gsm8k:7#0`, then `gsm8k:7#0~1`. */
export function attemptId({ group, index, attempt }: Omit<RolloutIdentity, "id" | "seed">): RolloutId {
  return `${group}#${index}${attempt === 0 ? "" : `~${attempt}`}` as RolloutId;
}

function count(value: number, name: string): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new HoneError(`${name} must be a whole number from 1, not ${value}.`, { code: "bad-option" });
}
