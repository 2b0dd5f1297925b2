// Two evaluations of the same tasks. Rollouts are paired by task and index, so what makes a task hard cancels and small differences show.
// Only what both scored is compared; what is left out is said.
import { HoneError, type TaskId } from "@hone/core";
import { openRun, runPaths } from "@hone/store";
import { readRows } from "./resume.ts";
import { readSettings } from "./settings.ts";
import { type Estimate, mean, pairedDifference } from "./statistics.ts";
import { plural } from "./text.ts";

export interface Comparison {
  readonly a: Compared;
  readonly b: Compared;
  /** In both, with the same fields and at least one pair. */
  readonly tasks: number;
  readonly pairs: number;
  /** b - a. */
  readonly difference: Estimate;
  /** Most gained first. */
  readonly gained: readonly TaskDifference[];
  /** Most lost first. */
  readonly lost: readonly TaskDifference[];
  readonly notes: readonly string[];
}
export interface Compared {
  readonly directory: string;
  readonly env: string;
  readonly model: string;
  /** Mean reward over the pairs. */
  readonly mean: number;
}
/** Mean rewards of one task. */
export interface TaskDifference {
  readonly task: TaskId;
  readonly a: number;
  readonly b: number;
  readonly difference: number;
}

interface Side {
  readonly directory: string;
  readonly env: string;
  readonly model: string;
  /** By environment and task id. */
  readonly tasks: ReadonlyMap<string, SideTask>;
}
interface SideTask {
  readonly task: TaskId;
  readonly hash: string;
  /** By index; null when it failed. */
  readonly rewards: Map<number, number | null>;
}

export async function compareEvaluations(directoryA: string, directoryB: string): Promise<Comparison> {
  const a = await readSide(directoryA);
  const b = await readSide(directoryB);
  const shared = [...a.tasks.keys()].filter((key) => b.tasks.has(key)).sort();
  const same = shared.filter((key) => a.tasks.get(key)?.hash === b.tasks.get(key)?.hash);
  const tasks = same.map((key) => pairsOf(a.tasks.get(key)!, b.tasks.get(key)!)); // both sides have every shared key
  const scored = tasks.filter(({ pairs }) => pairs.length > 0);
  const difference = pairedDifference(scored.map(({ pairs }) => pairs));
  if (difference === undefined) throw nothingShared(a, b, shared.length);
  const changes = scored.map(({ task, pairs }): TaskDifference => {
    const [meanA, meanB] = [mean(pairs.map(([value]) => value)), mean(pairs.map(([, value]) => value))];
    return { task, a: meanA, b: meanB, difference: meanB - meanA };
  });
  return {
    a: { directory: a.directory, env: a.env, model: a.model, mean: difference.a },
    b: { directory: b.directory, env: b.env, model: b.model, mean: difference.b },
    tasks: scored.length,
    pairs: difference.difference.n,
    difference: difference.difference,
    gained: changes.filter((change) => change.difference > 0).sort((one, other) => other.difference - one.difference),
    lost: changes.filter((change) => change.difference < 0).sort((one, other) => one.difference - other.difference),
    notes: notesOf(a, b, {
      shared: shared.length,
      same: same.length,
      unpaired: tasks.reduce((sum, { unpaired }) => sum + unpaired, 0),
    }),
  };
}

async function readSide(directory: string): Promise<Side> {
  const { config } = await openRun(directory);
  const { env, model } = await readSettings(config, runPaths(directory).config);
  const tasks = new Map<string, SideTask>();
  for await (const rollout of readRows(directory, () => undefined)) {
    const key = `${rollout.env}\u0000${rollout.taskId}`;
    const task = tasks.get(key) ?? {
      task: rollout.taskId,
      hash: rollout.taskHash,
      rewards: new Map<number, number | null>(),
    };
    const reward = rollout.failure === undefined ? (rollout.agents[0]?.reward ?? null) : null;
    task.rewards.set(rollout.index, reward);
    tasks.set(key, task);
  }
  return { directory, env, model, tasks };
}

interface Pairs {
  readonly task: TaskId;
  readonly pairs: readonly (readonly [a: number, b: number])[];
  /** Rollouts without a partner: failed or missing on the other side. */
  readonly unpaired: number;
}

function pairsOf(a: SideTask, b: SideTask): Pairs {
  const indices = [...new Set([...a.rewards.keys(), ...b.rewards.keys()])].sort((one, other) => one - other);
  const pairs: (readonly [number, number])[] = [];
  for (const index of indices) {
    const [left, right] = [a.rewards.get(index) ?? null, b.rewards.get(index) ?? null];
    if (left !== null && right !== null) pairs.push([left, right]);
  }
  return { task: a.task, pairs, unpaired: indices.length - pairs.length };
}

interface Counts {
  readonly shared: number;
  readonly same: number;
  readonly unpaired: number;
}

function notesOf(a: Side, b: Side, { shared, same, unpaired }: Counts): string[] {
  const notes: string[] = [];
  const [onlyA, onlyB] = [a.tasks.size - shared, b.tasks.size - shared];
  if (onlyA + onlyB > 0) {
    notes.push(
      `The task sets differ: ${plural(onlyA, "task")} only in A, ${plural(onlyB, "task")} only in B. Compared: the ${same} in both.`,
    );
  }
  if (same < shared) notes.push(`Left out, the same id but other fields: ${plural(shared - same, "task")}.`);
  if (unpaired > 0) notes.push(`Left out, no scored partner in the other evaluation: ${plural(unpaired, "rollout")}.`);
  return notes;
}

function nothingShared(a: Side, b: Side, shared: number): HoneError {
  const side = ({ directory, env, tasks }: Side): string => `${directory} has ${tasks.size} tasks of ${env}`;
  const why =
    shared === 0
      ? "no task is in both"
      : `of the ${shared} tasks in both, none was scored on both sides with the same fields`;
  return new HoneError(`These evaluations cannot be compared: ${side(a)}, ${side(b)}, and ${why}.`, {
    code: "different-tasks",
    hint: "Compare evaluations of the same environment, tasks and seed.",
  });
}
