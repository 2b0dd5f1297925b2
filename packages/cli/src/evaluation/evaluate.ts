// `evaluate` for use from code: names are found as the command line finds them; an environment and a model may also be given as objects.
import { toFile, validate } from "@hone/config";
import {
  type Environment,
  HoneError,
  type JsonObject,
  type Model,
  type Sampling,
  type SandboxProvider,
  type Split,
} from "@hone/core";
import { EvalConfig, type Evaluation, type Progress } from "@hone/eval";
import { type ModelOptions, Models } from "../model/find-model.ts";
import { prepare } from "./prepare.ts";
import { onlyEvaluation, runPrepared } from "./run-prepared.ts";

export interface EvaluateConfig {
  /** A name as on the command line, or the environment itself. */
  readonly env: string | Environment;
  readonly model: string | Model;
  /** Arguments of an environment that is given by name. */
  readonly args?: JsonObject;
  /** All unless given; must be given for endless tasks. */
  readonly numTasks?: number;
  /** Rollouts per task. 1 unless given. */
  readonly groupSize?: number;
  readonly split?: Split;
  readonly seed?: number;
  readonly shuffle?: boolean;
  readonly sampling?: Sampling;
  readonly concurrency?: number;
  readonly maxTurns?: number;
  readonly system?: string;
  /** "chat", "single", or a file. */
  readonly harness?: string;
  /** Worker threads, for an environment that is given by name. */
  readonly workers?: number;
  readonly passThreshold?: number;
}

export interface EvaluateOptions extends Partial<ModelOptions> {
  /** Where results are kept. Without it they are only counted. */
  readonly directory?: string;
  /** Goes on with what is in `directory`. */
  readonly resume?: boolean;
  /** Further attempts of a rollout that failed for a passing reason. */
  readonly retries?: number;
  readonly onProgress?: (progress: Progress) => void;
  /** Where environments run code; what this machine has, unless given. */
  readonly sandboxes?: SandboxProvider;
  /** Stops it: what is finished is kept, and the result says that it was interrupted. */
  readonly signal?: AbortSignal;
}

export async function evaluate(config: EvaluateConfig, options: EvaluateOptions = {}): Promise<Evaluation> {
  const { cwd = process.cwd(), env: variables = process.env, directory, ...rest } = options;
  const { env, model, args = {}, split, maxTurns, system, harness, workers, ...others } = config;
  const id = typeof env === "string" ? env : env.info.name;
  if (typeof env !== "string" && (workers !== undefined || Object.keys(args).length > 0)) {
    throw new HoneError(`${id} is given as an object, which takes neither args nor workers.`, {
      code: "bad-option",
      hint: "Create it with its arguments, or give it by name.",
    });
  }
  const perEnvironment = {
    split,
    maxTurns,
    system,
    workers,
    harness: harness === undefined ? undefined : { id: harness },
  };
  const modelName = typeof model === "string" ? model : model.name;
  const value = toFile(EvalConfig, { ...others, model: modelName, env: [{ id, args, ...perEnvironment }] });
  const checked = await validate({ schema: EvalConfig, value: JSON.parse(JSON.stringify(value)) });
  await using models = await Models.open({ ...rest, cwd, env: variables });
  const prepared = await prepare({
    config: checked,
    cwd,
    models: typeof model === "string" ? models : { find: async () => ({ model, foundIn: "given" }) },
    ...(typeof env === "string" ? {} : { given: new Map([[id, env]]) }),
  });
  const matrix = await runPrepared({
    ...rest,
    prepared,
    models,
    ...(directory === undefined ? {} : { directoryOf: () => directory }),
  });
  const evaluation = onlyEvaluation(matrix);
  if (evaluation !== undefined) return evaluation;
  throw new HoneError("The evaluation was stopped before it began.", { code: "cancelled" });
}
