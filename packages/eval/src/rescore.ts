// Rewards again on saved rollouts, without calling the model under test: after a reward was corrected, or with another judge. The original
// directory stays as it is; a new one beside it holds the same rollouts with their new scores.
import { setMaxListeners } from "node:events";
import type { Environment, Model, Resources, Rollout, SandboxProvider, Task, TaskId } from "@hone/core";
import { EventLoopWatchdog, ownGold } from "@hone/env";
import { isRun, openRun, runPaths } from "@hone/store";
import type { Evaluation } from "./evaluation.ts";
import { uncomparedRollout } from "./failed.ts";
import { forEachConcurrent } from "./pool.ts";
import { resourcesOf, uncalledModel } from "./resources.ts";
import { openResults } from "./results.ts";
import { readRows } from "./resume.ts";
import { type SavedGroup, savedGroups } from "./saved-groups.ts";
import { readSettings } from "./settings.ts";
import { Summary } from "./summary.ts";

export interface RescoreOptions {
  /** The evaluation whose rollouts are scored again. */
  readonly directory: string;
  readonly environment: Environment;
  /** Judges, by name. */
  readonly models?: (name: string) => Model;
  readonly sandboxes?: SandboxProvider;
  /** Where the new scores go; `<directory>-rescored` unless given. */
  readonly output?: string;
  /** Groups at a time. 32 unless given. */
  readonly concurrency?: number;
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
  readonly now?: () => number;
  readonly signal?: AbortSignal;
}

export interface Rescored {
  readonly before: Evaluation;
  readonly after: Evaluation;
  /** Rollouts whose reward, or a part of it, is another one. */
  readonly changed: number;
}

export async function rescore(options: RescoreOptions): Promise<Rescored> {
  const { directory, environment, concurrency = 32, now = Date.now, onProgress } = options;
  const signal = AbortSignal.any(options.signal === undefined ? [] : [options.signal]);
  // Every judge listens to it: many listeners are no leak here.
  setMaxListeners(0, signal);
  const reader = await openRun(directory);
  const settings = await readSettings(reader.config, runPaths(directory).config);
  const output = options.output ?? (await freeName(`${directory}-rescored`));
  const { env, version: envVersion, model, passThreshold } = settings;
  const before = new Summary({ env, envVersion, model, passThreshold });
  const after = new Summary({ env, envVersion, model, passThreshold });
  const places = new Map<TaskId, Set<number>>();
  for await (const rollout of readRows(directory, () => undefined)) {
    before.add(rollout);
    places.set(rollout.taskId, (places.get(rollout.taskId) ?? new Set<number>()).add(rollout.index));
  }
  const sizes = new Map([...places].map(([id, indices]) => [id, indices.size]));
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);

  const rescored = { ...settings, rescoredFrom: directory };
  const results = await openResults({
    directory: output,
    resume: false,
    settings: rescored,
    goldOf: ownGold(environment),
    now,
    restore: () => undefined,
  });
  using watchdog = new EventLoopWatchdog({
    report: ({ envs, where, durationMs }) => {
      results.event("event-loop-block", { envs: [...envs], where: [...where], durationMs });
    },
  });
  const resources = resourcesOf({ ...options, model: uncalledModel(model) }, watchdog);
  let changed = 0;
  let done = 0;
  const work = async ({ task, rollouts }: SavedGroup): Promise<boolean> => {
    done += rollouts.length;
    if (task === undefined) {
      results.note(
        `Task ${rollouts[0]?.taskId ?? ""} is not in tasks.jsonl: its ${rollouts.length} rollouts are left out.`,
      );
      return true;
    }
    const scored = await scoreAgain({ environment, task, rollouts, resources, signal });
    if (scored === undefined) return false;
    await results.addTask(task);
    for (const [at, rollout] of scored.entries()) {
      if (scoresOf(rollout) !== scoresOf(rollouts[at])) changed++;
      const written = await results.write(rollout);
      if (written !== undefined) after.add(written);
    }
    onProgress?.({ done, total });
    return true;
  };
  try {
    const limits = { limit: concurrency, graceMs: 5_000, signal };
    const isComplete = await forEachConcurrent(savedGroups(reader, sizes), work, limits);
    const evaluation = after.evaluation({ directory: output, interrupted: !isComplete, notes: results.notes });
    await results.finish(evaluation);
    return { before: before.evaluation({ directory }), after: evaluation, changed };
  } catch (error) {
    await results.abandon();
    throw error;
  }
}

interface ScoreAgain {
  readonly environment: Environment;
  readonly task: Task;
  readonly rollouts: readonly Rollout[];
  readonly resources: Resources;
  readonly signal: AbortSignal;
}

/** In the order given; undefined when it was cancelled. A reward that throws fails the rollout it threw on, not its whole group. */
async function scoreAgain({ environment, rollouts, ...request }: ScoreAgain): Promise<readonly Rollout[] | undefined> {
  try {
    return await environment.score({ ...request, rollouts, which: "all" });
  } catch (error) {
    if (request.signal.aborted) return undefined;
    if (rollouts.length === 1) return rollouts.map((rollout) => uncomparedRollout(rollout, error));
  }
  const alone = await Promise.all(
    rollouts.map((rollout) => scoreAgain({ environment, ...request, rollouts: [rollout] })),
  );
  if (alone.some((scored) => scored === undefined)) return undefined;
  const own = alone.flatMap((scored) => scored ?? []);
  // Each was compared with itself alone just now: those that are left are compared with each other.
  const sound = own.filter(({ failure }) => failure === undefined);
  try {
    const compared = await environment.score({ ...request, rollouts: sound, which: "group" });
    return own.map((rollout) => compared[sound.indexOf(rollout)] ?? rollout);
  } catch (error) {
    if (request.signal.aborted) return undefined;
    return own.map((rollout) => (rollout.failure === undefined ? uncomparedRollout(rollout, error) : rollout));
  }
}

function scoresOf(rollout: Rollout | undefined): string {
  return JSON.stringify([rollout?.agents.map(({ reward, rewards }) => [reward, rewards]), rollout?.failure?.code]);
}

/** The name, or the first of name-2, name-3, ... that no run has. */
async function freeName(name: string): Promise<string> {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (!(await isRun(candidate))) return candidate;
  }
}
