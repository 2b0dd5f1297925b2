// The environments of a run, loaded once each: those it trains on and those it is measured on. Loading is that of `hone eval`, so a name, an argument
// or a harness means the same in both.
import { canonicalJson, type Environment, type RolloutSettings } from "@hone/core";
import type { Blocked } from "@hone/env";
import type { LoadedCell } from "@hone/eval";
import type { ResolvedEvalEnv, ResolvedRun, ResolvedTrainEnv, TrainEnvironment } from "@hone/train";
import {
  cellOf,
  type EnvironmentOptions,
  type EnvironmentTable,
  type PreparedEnvironment,
  prepareEnvironments,
} from "../evaluation/prepare.ts";
import type { HeldOutEnvironment } from "./held-out.ts";
import { heldOutHashes, withTrainingTasks } from "./training-tasks.ts";

export interface RunEnvironments extends AsyncDisposable {
  readonly training: readonly TrainEnvironment[];
  readonly heldOut: readonly HeldOutEnvironment[];
  /** Where each was found, by name. */
  readonly locations: ReadonlyMap<string, { readonly file: string; readonly version: string }>;
}

export interface OpenEnvironmentsOptions extends EnvironmentOptions {
  readonly onBlocked: (blocked: Blocked) => void;
}

export async function openEnvironments(
  config: Pick<ResolvedRun, "env" | "eval">,
  options: OpenEnvironmentsOptions,
): Promise<RunEnvironments> {
  const trained = await prepareEnvironments(config.env, options);
  const evaluated = config.eval === false ? [] : config.eval.env;
  const measured = await prepareEnvironments(evaluated, { ...options, path: ["eval", "env"] });
  const cells = new Cells(options.onBlocked);
  const heldOut = [...measured.values()].map((one) => heldOutOf(one, cells.of(one)));
  const training: TrainEnvironment[] = [];
  const held = await heldOutHashes(heldOut);
  for (const one of trained.values()) {
    training.push(trainOf(one, cells.of(one), withTrainingTasks(cells.of(one).environment, one.config.split, held)));
  }
  return {
    training,
    heldOut,
    locations: new Map([...measured, ...trained].map(([name, { location }]) => [name, location])),
    [Symbol.asyncDispose]: () => cells.close(),
  };
}

/** Worker threads are shared by training and evaluation of the same environment. */
class Cells {
  readonly #onBlocked: (blocked: Blocked) => void;
  readonly #cells = new Map<string, LoadedCell>();

  constructor(onBlocked: (blocked: Blocked) => void) {
    this.#onBlocked = onBlocked;
  }

  of(one: PreparedEnvironment<EnvironmentTable>): LoadedCell {
    const { id, args, workers, harness } = one.config;
    const key = canonicalJson({ id, args, workers: workers ?? 0, harness: harness ?? null });
    const known = this.#cells.get(key);
    const cell = known ?? cellOf(one, this.#onBlocked);
    this.#cells.set(key, cell);
    return cell;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#cells.values()].map(async ({ close }) => close?.()));
  }
}

function trainOf(
  { config }: PreparedEnvironment<ResolvedTrainEnv>,
  { goldOf, harness, version }: LoadedCell,
  environment: Environment,
): TrainEnvironment {
  const { name, ratio, groupSize, sampling, maxTasks } = config;
  return {
    name,
    environment,
    ratio,
    groupSize,
    sampling,
    settings: settingsOf(config, version),
    ...(goldOf === undefined ? {} : { goldOf }),
    ...(harness === undefined ? {} : { harness }),
    ...(maxTasks === undefined ? {} : { maxTasks }),
  };
}

function heldOutOf(
  { config }: PreparedEnvironment<ResolvedEvalEnv>,
  { environment, harness, version }: LoadedCell,
): HeldOutEnvironment {
  const { name, groupSize, sampling, split, numTasks, maxTasks = Number.POSITIVE_INFINITY } = config;
  return {
    name,
    environment,
    ...(harness === undefined ? {} : { harness }),
    settings: settingsOf(config, version),
    sampling,
    split,
    numTasks: Math.min(numTasks, maxTasks),
    groupSize,
  };
}

function settingsOf(
  { name, system, tools, maxTurns }: ResolvedTrainEnv | ResolvedEvalEnv,
  version: string | undefined,
): RolloutSettings {
  return {
    name,
    ...(version === undefined ? {} : { version }),
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
    ...(maxTurns === undefined ? {} : { limits: { turns: maxTurns } }),
  };
}
