// Several environments and models in one file: every environment is evaluated on every model. A cell that fails is a cell of the table, and the
// others go on. Loading environments and reaching models is the caller's: this file knows neither packages nor servers.
import {
  type Environment,
  type Harness,
  HoneError,
  type Model,
  type RolloutSettings,
  type SandboxProvider,
} from "@hone/core";
import { type GoldOf, ownGold, type RetryPolicy } from "@hone/env";
import type { Price } from "@hone/model";
import { type EvalConfig, type EvalEnvConfig, nameOf } from "./eval-config.ts";
import { evaluate } from "./evaluate.ts";
import type { Evaluation } from "./evaluation.ts";
import type { Progress } from "./progress.ts";
import { withMembers } from "./with-members.ts";

export interface LoadedCell {
  readonly environment: Environment;
  /** The environment's own `gold` unless given. */
  readonly goldOf?: GoldOf;
  readonly version?: string;
  readonly harness?: Harness;
  /** Called when its last cell is done. */
  readonly close?: () => Promise<void>;
}

export interface MatrixOptions {
  readonly config: EvalConfig;
  readonly loadEnvironment: (env: EvalEnvConfig) => Promise<LoadedCell>;
  readonly resolveModel: (name: string) => Promise<{ readonly model: Model; readonly price?: Price }>;
  readonly models?: (name: string) => Model;
  readonly sandboxes?: SandboxProvider;
  readonly retry?: RetryPolicy;
  /** Where the results of a cell are kept; without it they are only counted. */
  readonly directoryOf?: (cell: { readonly env: string; readonly model: string }) => string;
  readonly resume?: boolean;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

export interface Matrix {
  readonly envs: readonly string[];
  readonly models: readonly string[];
  /** Environment by environment, in the order of the file. */
  readonly cells: readonly Cell[];
}
/** Exactly one of `evaluation` and `error`. */
export interface Cell {
  readonly env: string;
  readonly model: string;
  readonly evaluation?: Evaluation;
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
}

/** One cell after another, each with all the concurrency. After an abort the cells that are left are missing. */
export async function evaluateMatrix(options: MatrixOptions): Promise<Matrix> {
  const { config, signal } = options;
  const models = config.models ?? (config.model === undefined ? [] : [config.model]);
  const cells: Cell[] = [];
  const isStopped = (): boolean => signal?.aborted ?? false;
  for (const env of config.env) {
    if (isStopped()) break;
    let loaded: LoadedCell | undefined;
    try {
      loaded = await options.loadEnvironment(env);
      for (const model of models) if (!isStopped()) cells.push(await evaluateCell(options, env, loaded, model));
    } catch (error) {
      for (const model of models) cells.push({ env: nameOf(env), model, error: errorOf(error) });
    } finally {
      await loaded?.close?.();
    }
  }
  return { envs: config.env.map(nameOf), models, cells };
}

async function evaluateCell(
  options: MatrixOptions,
  env: EvalEnvConfig,
  loaded: LoadedCell,
  name: string,
): Promise<Cell> {
  const { config, models, sandboxes, retry, resume, onProgress, signal } = options;
  const cell = { env: nameOf(env), model: name };
  try {
    const { model, price } = await options.resolveModel(name);
    const directory = options.directoryOf?.(cell);
    const numTasks = env.numTasks ?? config.numTasks;
    const evaluation = await evaluate({
      environment: withMaxTasks(loaded.environment, env.maxTasks),
      goldOf: loaded.goldOf ?? ownGold(loaded.environment),
      model,
      settings: settingsOf(env, loaded.version),
      groupSize: env.groupSize ?? config.groupSize,
      concurrency: config.concurrency,
      seed: config.seed,
      shuffle: config.shuffle,
      passThreshold: config.passThreshold,
      sampling: { ...config.sampling, ...env.sampling },
      config: { id: env.id, args: env.args, ...defined({ max_tasks: env.maxTasks, harness: env.harness }) },
      ...defined({
        models,
        sandboxes,
        harness: loaded.harness,
        split: env.split,
        numTasks,
        retry,
        directory,
        resume,
        price,
        onProgress,
        signal,
      }),
    });
    return { ...cell, evaluation };
  } catch (error) {
    return { ...cell, error: errorOf(error) };
  }
}

function settingsOf(env: EvalEnvConfig, version: string | undefined): RolloutSettings {
  const limits = env.maxTurns === undefined ? undefined : { turns: env.maxTurns };
  return { name: nameOf(env), ...defined({ version, system: env.system, tools: env.tools, limits }) };
}

function withMaxTasks(environment: Environment, maxTasks: number | undefined): Environment {
  if (maxTasks === undefined) return environment;
  return withMembers(environment, { tasks: (split) => environment.tasks(split).head(maxTasks) });
}

function errorOf(error: unknown): NonNullable<Cell["error"]> {
  const message = error instanceof Error ? error.message : String(error);
  if (!HoneError.is(error)) return { code: "error", message };
  return { code: error.code, message, ...(error.hint === undefined ? {} : { hint: error.hint }) };
}

type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
/** Without the members that are undefined: an option that was not given. */
function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>;
}
