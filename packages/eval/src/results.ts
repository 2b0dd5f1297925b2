// The results of an evaluation on disk: run.toml, tasks.jsonl, rollouts/000000.jsonl with its tokens, events.jsonl while it runs, and one row in
// evals.jsonl when all of it is done. Invariants: a rollout's task is written before it; a row is written once and superseded, never changed.
import { HoneError, type Json, type Rollout, type Task, taskHash, type TaskId } from "@hone/core";
import {
  createRun,
  isRun,
  openRolloutWriter,
  openRun,
  resumeRun,
  type RolloutWriter,
  runPaths,
  type RunWriter,
  writeFileAtomic,
} from "@hone/store";
import { type Evaluation, evaluationRow } from "./evaluation.ts";
import { failedRollout } from "./failed.ts";
import { type GoldOf, recordedGold } from "@hone/env";
import { readRows, readTaskHashes, SavedRollouts } from "./resume.ts";
import { checkSameSettings, type EvaluationSettings, readSettings, writeSettings } from "./settings.ts";
import { plural } from "./text.ts";

export interface ResultsOptions {
  /** Without it nothing is kept. */
  readonly directory: string | undefined;
  readonly resume: boolean;
  readonly settings: EvaluationSettings;
  readonly goldOf: GoldOf;
  readonly now: () => number;
  /** Told of every row of an earlier run, in the order of the file. */
  readonly restore: (rollout: Rollout) => void;
}

interface Files {
  readonly run: RunWriter;
  readonly rollouts: RolloutWriter;
}

export async function openResults(options: ResultsOptions): Promise<Results> {
  const { directory, resume, settings } = options;
  if (directory === undefined) return new Results(options, undefined, new SavedRollouts(settings.groupSize), new Map());
  const isOld = resume && (await isRun(directory));
  const run = isOld ? await resumeRun(directory) : await createRun(directory, { config: writeSettings(settings) });
  try {
    const saved = new SavedRollouts(settings.groupSize, isOld ? directory : undefined);
    const notes: string[] = [];
    const hashes = isOld ? await restoreRun(directory, options, saved, notes) : new Map<TaskId, string>();
    const results = new Results(options, { run, rollouts: await openRolloutWriter(directory, 0) }, saved, hashes);
    results.event(isOld ? "evaluation-resume" : "evaluation-start", { env: settings.env, model: settings.model });
    for (const note of notes) results.note(note);
    return results;
  } catch (error) {
    await run.close().catch(() => undefined);
    throw error;
  }
}

async function restoreRun(
  directory: string,
  { settings, restore }: ResultsOptions,
  saved: SavedRollouts,
  notes: string[],
): Promise<Map<TaskId, string>> {
  const reader = await openRun(directory);
  const { config } = runPaths(directory);
  checkSameSettings(await readSettings(reader.config, config), settings, directory);
  const text = writeSettings(settings);
  if (text !== reader.config) await writeFileAtomic(config, text);
  const unreadable = ({ path, line, message }: { path: string; line: number; message: string }): void => {
    notes.push(`${path}:${line} cannot be read (${message}); that rollout is run again.`);
  };
  for await (const rollout of readRows(directory, unreadable)) {
    saved.add(rollout);
    restore(rollout);
  }
  return readTaskHashes(reader);
}

export class Results {
  readonly saved: SavedRollouts;
  readonly #options: ResultsOptions;
  readonly #files: Files | undefined;
  /** Of tasks on disk. */
  readonly #hashes: Map<TaskId, string>;
  /** Of tasks read in this run. */
  readonly #seen = new Map<TaskId, string>();
  readonly #notes: string[] = [];
  #repeated = 0;
  #isClosed = false;

  constructor(options: ResultsOptions, files: Files | undefined, saved: SavedRollouts, hashes: Map<TaskId, string>) {
    this.#options = options;
    this.#files = files;
    this.saved = saved;
    this.#hashes = hashes;
  }

  get notes(): readonly string[] {
    if (this.#repeated === 0) return this.#notes;
    return [...this.#notes, `Evaluated once, though it came up again: ${plural(this.#repeated, "task")}.`];
  }

  /** Resolves when the task is on disk; undefined when it was read before in this run. */
  addTask(task: Task): Promise<void> | undefined {
    const { settings, goldOf } = this.#options;
    const { env } = settings;
    const hash = taskHash(task);
    const known = this.#seen.get(task.id);
    if (known === hash) {
      this.#repeated++;
      return undefined;
    }
    if (known !== undefined) throw sameId(env, task.id);
    this.#seen.set(task.id, hash);
    const saved = this.#hashes.get(task.id);
    if (saved !== undefined && saved !== hash) throw changedTask(env, task.id);
    if (saved !== undefined || this.#files === undefined) return Promise.resolve();
    return this.#files.run.append("tasks", { env, task, hash, ...recordedGold(goldOf, task) });
  }

  /** The rollout as it is on disk: one that cannot be written has failed. Undefined when the evaluation is over and it came too late. */
  async write(rollout: Rollout): Promise<Rollout | undefined> {
    if (this.#isClosed) return undefined;
    if (this.#files === undefined) return rollout;
    const { rollouts } = this.#files;
    try {
      await rollouts.write(rollout);
      return rollout;
    } catch (error) {
      if (!HoneError.is(error) || error.code !== "bad-row") throw error;
      const failed = failedRollout(rollout, error);
      await rollouts.write(failed);
      return failed;
    }
  }

  event(type: string, detail: Json): void {
    if (this.#isClosed || this.#files === undefined) return;
    // A log that cannot be written fails again when it is closed, which is waited for.
    this.#files.run.append("events", { type, atMs: this.#options.now(), detail }).catch(() => undefined);
  }

  note(note: string): void {
    this.#notes.push(note);
    this.event("note", note);
  }

  /** Everything is on disk and the lock is free. The row of evals.jsonl appears only when nothing is missing. */
  async finish(evaluation: Evaluation): Promise<void> {
    const { interrupted, rollouts, failed } = evaluation;
    this.event(interrupted ? "evaluation-interrupt" : "evaluation-end", { rollouts, failed });
    this.#isClosed = true;
    if (this.#files === undefined) return;
    try {
      await this.#files.rollouts.close();
      const path = runPaths(this.#files.run.directory).streams.evals;
      if (!interrupted) await writeFileAtomic(path, `${JSON.stringify(evaluationRow(evaluation))}\n`);
    } finally {
      await this.#files.run.close();
    }
  }

  /** After an error: what is written stays. */
  async abandon(): Promise<void> {
    this.#isClosed = true;
    await this.#files?.rollouts.close().catch(() => undefined);
    await this.#files?.run.close().catch(() => undefined);
  }
}

function sameId(env: string, task: TaskId): HoneError {
  return new HoneError(`Two different tasks of ${env} have the id ${task}.`, {
    code: "task-id",
    hint: "Results are kept by task id. Give every task an id of its own, or none: a hash of its fields becomes the id.",
  });
}

function changedTask(env: string, task: TaskId): HoneError {
  return new HoneError(`Task ${task} of ${env} has changed since this evaluation began.`, {
    code: "resume-mismatch",
    hint: "Evaluate the new tasks into another directory.",
  });
}
