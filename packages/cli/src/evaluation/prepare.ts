// Before the first rollout: every environment is loaded and every model reached for, so that a mistake anywhere in the configuration is told
// at once and not after an hour.
import type { FindPlace } from "@hone/config";
import { type Environment, type Harness, HoneError, type JsonObject } from "@hone/core";
import type { Blocked } from "@hone/env";
import { loadHarness, WorkerEnvironment } from "@hone/env/load";
import type { EvalConfig, EvalEnvConfig, LoadedCell } from "@hone/eval";
import { findEnvironment, type FoundEnvironment } from "../environment/find-environment.ts";
import type { FoundModel } from "../model/find-model.ts";
import { withRolloutModels } from "../model/scripted.ts";

/** What [[env]] of an evaluation and of a training run have in common. */
export interface EnvironmentTable {
  readonly id: string;
  readonly name?: string;
  readonly args: JsonObject;
  readonly harness?: JsonObject & { readonly id: string };
  readonly workers?: number;
}

export interface PreparedEnvironment<Table extends EnvironmentTable = EvalEnvConfig> extends FoundEnvironment {
  readonly config: Table & { readonly name: string };
  readonly harness: Harness | undefined;
}

export interface Prepared {
  /** With a name for every environment. */
  readonly config: EvalConfig;
  readonly environments: ReadonlyMap<string, PreparedEnvironment>;
  readonly models: ReadonlyMap<string, FoundModel>;
}

export interface PrepareOptions extends EnvironmentOptions {
  readonly config: EvalConfig;
  readonly models: { find(name: string): Promise<FoundModel> };
}

export interface EnvironmentOptions {
  readonly cwd: string;
  /** Environments that are here already, by id. */
  readonly given?: ReadonlyMap<string, Environment>;
  /** Where values of the file were written; undefined when arguments come from the command line. */
  readonly place?: FindPlace | undefined;
  /** Where the tables are in that file; `env` unless given. */
  readonly path?: readonly string[];
  /** The command with another environment in place of one that was not found. */
  readonly tryInstead?: (name: string) => string;
}

export async function prepare(options: PrepareOptions): Promise<Prepared> {
  const { config, models } = options;
  const environments = await prepareEnvironments(config.env, options);
  const names = config.models ?? (config.model === undefined ? [] : [config.model]);
  const found = new Map<string, FoundModel>();
  for (const name of names) found.set(name, await models.find(name));
  return {
    config: { ...config, env: [...environments.values()].map((one) => one.config) },
    environments,
    models: found,
  };
}

/** By name, each loaded with its arguments and its harness. */
export async function prepareEnvironments<Table extends EnvironmentTable>(
  tables: readonly Table[],
  options: EnvironmentOptions,
): Promise<Map<string, PreparedEnvironment<Table>>> {
  const { cwd, given } = options;
  const environments = new Map<string, PreparedEnvironment<Table>>();
  for (const [index, table] of tables.entries()) {
    const object = given?.get(table.id);
    const found = object === undefined ? await find(table, index, options) : asFound(object, table.id);
    const name = table.name ?? found.environment.info.name;
    if (environments.has(name)) throw sameName(name);
    const harness = table.harness === undefined ? undefined : await loadHarness(table.harness, { cwd });
    environments.set(name, { ...found, config: { ...table, name }, harness });
  }
  return environments;
}

function find({ id, args }: EnvironmentTable, index: number, options: EnvironmentOptions): Promise<FoundEnvironment> {
  const { cwd, place, path = ["env"], tryInstead } = options;
  return findEnvironment(id, {
    cwd,
    args,
    ...(place === undefined ? {} : { place, path: [...path, index, "args"] }),
    ...(tryInstead === undefined ? {} : { tryInstead }),
  });
}

function asFound(environment: Environment, id: string): FoundEnvironment {
  return { environment, location: { id, file: "", version: "0.0.0" }, schema: undefined, args: {} };
}

/** The environment as rollouts run on it: in worker threads where the configuration says so. */
export function cellOf(
  { environment, location, args, config, harness }: PreparedEnvironment<EnvironmentTable>,
  onBlocked: (blocked: Blocked) => void,
): LoadedCell {
  const { workers } = config;
  const threads =
    workers === undefined
      ? undefined
      : new WorkerEnvironment({ environment, file: location.file, args, workers, onBlocked });
  return {
    environment: withRolloutModels(threads ?? environment, environment),
    // Asked on this thread, like tasks: what rollouts run on has lost it.
    goldOf: (task) => environment.gold?.(task),
    version: location.version,
    ...(harness === undefined ? {} : { harness }),
    ...(threads === undefined ? {} : { close: () => threads[Symbol.asyncDispose]() }),
  };
}

function sameName(name: string): HoneError {
  return new HoneError(`Two environments are called ${name}.`, {
    code: "config",
    hint: 'Give one of them another name: `name = "..."` in its [[env]].',
  });
}
