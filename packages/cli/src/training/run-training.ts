// A composed run from its first step to its exported policy: train, follow it with sinks, export whatever it reached, say how it went.
// Sinks never stop a run: what goes wrong with them is a notice.
import { basename } from "node:path";
import { clearStop, type MetricRow, openRun, requestStop, runPaths, writeFileAtomic } from "@hone/store";
import { type ResolvedRun, train, type TrainEvent, type TrainResult } from "@hone/train";
import { readStanding } from "../run/run-state.ts";
import { compose, type Composition, type ComposeOptions } from "./compose.ts";
import { exportPolicy, policyFolder } from "./export-policy.ts";

export interface TrainOutcome extends TrainResult {
  readonly name: string;
  readonly directory: string;
  /** On held-out tasks, one row per environment: before the first update, and the last one made. */
  readonly before: readonly MetricRow[];
  readonly after: readonly MetricRow[];
  /** Mean of each step's rollouts, by environment. */
  readonly rewards: Readonly<Record<string, readonly number[]>>;
  /** Folder of the trained policy; null when no update was made. */
  readonly policy: string | null;
  /** Folder of the model it started from. */
  readonly model: string;
}

export interface RunTrainingOptions extends ComposeOptions {
  /** Everything is opened and checked, the first step is about to begin. */
  readonly onCompose?: (composition: Composition) => Promise<void>;
}

/** Undefined when `stop` was asked for before the first step of a new run. */
export async function runTraining(options: RunTrainingOptions): Promise<TrainOutcome | undefined> {
  const { directory, stop } = options;
  let follow: Promise<AsyncDisposable | undefined> = Promise.resolve(undefined);
  const onEvent = (event: TrainEvent): void => {
    // Only now is there a directory: to follow, and to leave a wish in that came a moment too early.
    if (event.type === "run-start") {
      follow = followed(options);
      if (stop.aborted) requestStop(directory).catch(() => undefined);
    }
    options.onEvent?.(event);
  };
  await using composition = await compose({ ...options, onEvent });
  if (stop.aborted) return undefined;
  if (options.resume) await renew(options);
  await options.onCompose?.(composition);
  try {
    const result = await train(composition.options);
    const policy = await exported(composition, directory);
    return await outcome(result, directory, policy, composition.folder);
  } catch (error) {
    await salvage(composition, options);
    throw error;
  } finally {
    await clearStop(directory).catch(() => undefined);
    await (await follow)?.[Symbol.asyncDispose]();
  }
}

/** A wish to stop from before belongs to an earlier life of this run; its configuration may ask for more steps now. */
async function renew({ directory, toml }: ComposeOptions): Promise<void> {
  await clearStop(directory);
  const { config } = await openRun(directory);
  if (config !== toml) await writeFileAtomic(runPaths(directory).config, toml);
}

async function followed({ config, directory, env, onNotice }: ComposeOptions): Promise<AsyncDisposable | undefined> {
  const sinks = sinkConfig(config);
  if (Object.keys(sinks).length === 0) return undefined;
  const { openSinks } = await import("@hone/store/sinks");
  return openSinks(directory, sinks, {
    env,
    onNotice: ({ sink, message, hint }) => onNotice(`${sink}: ${message}${hint === undefined ? "" : ` ${hint}`}`),
  });
}

function sinkConfig({ wandb, tensorboard, mlflow }: ResolvedRun) {
  return {
    ...(wandb === undefined ? {} : { wandb }),
    ...(tensorboard === undefined ? {} : { tensorboard }),
    ...(mlflow === undefined ? {} : { mlflow }),
  };
}

async function exported({ options }: Composition, directory: string): Promise<string | null> {
  const { checkpoints } = await readStanding(directory);
  const last = checkpoints.at(-1);
  if (last === undefined) return null;
  const output = policyFolder(directory, options.adapter);
  await exportPolicy({ engine: options.engine, adapter: options.adapter, from: { checkpoint: last.engine }, output });
  return output;
}

/** A run that failed keeps what it has learnt; that it cannot be exported as well is not the error to tell. */
async function salvage(composition: Composition, { directory, onNotice }: ComposeOptions): Promise<void> {
  const policy = await exported(composition, directory).catch(() => null);
  if (policy === null) return;
  onNotice(
    `What was learnt until the last checkpoint is in ${policy}. Go on with: hone train --resume ${basename(directory)}`,
  );
}

async function outcome(
  result: TrainResult,
  directory: string,
  policy: string | null,
  model: string,
): Promise<TrainOutcome> {
  const { evals, environments, updates } = await readStanding(directory);
  const last = evals.at(-1)?.step ?? 0;
  return {
    ...result,
    name: basename(directory),
    directory,
    before: evals.filter(({ step }) => step === 0),
    after: last === 0 ? [] : evals.filter(({ step }) => step === last),
    rewards: Object.fromEntries(environments.map((env) => [env, curveOf(updates, `reward/${env}/mean`)])),
    policy,
    model,
  };
}

function curveOf(rows: readonly MetricRow[], metric: string): readonly number[] {
  return rows.map((row) => row[metric]).filter((value) => typeof value === "number");
}
