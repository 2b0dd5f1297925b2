// A run's configuration with every default filled in: nothing after this looks at two places for one setting.
// Invariant: what is resolved is itself a configuration; writing it and reading it again gives the same (`writeRun`).
import { writeToml } from "@hone/config";
import { type AdapterSpec, HoneError, type OptimizerStep } from "@hone/core";
import type { AlgorithmConfig } from "../algorithm/config.ts";
import type { LearningRateSchedule } from "../update/learning-rate.ts";
import { checkRun } from "./checks.ts";
import {
  algorithmOf,
  batchSizeOf,
  checkpointIntervalOf,
  evalEnvsOf,
  leadOf,
  learningRateOf,
  maxStepsOf,
  ratioOf,
  samplingOf,
  scheduleOf,
} from "./defaults.ts";
import { environmentName, type EvalEnvConfig, type PolicySampling, type TrainEnvConfig } from "./env-config.ts";
import { type RunConfig, RunFields } from "./run-config.ts";

type Required<T, Keys extends keyof T> = T & { readonly [Key in Keys]-?: Exclude<T[Key], undefined> };

export type ResolvedTrainEnv = Required<TrainEnvConfig, "name" | "ratio" | "groupSize" | "sampling"> & {
  readonly algorithm: AlgorithmConfig;
};
export type ResolvedEvalEnv = Required<EvalEnvConfig, "name" | "groupSize" | "sampling" | "numTasks">;

export interface ResolvedEvaluation {
  readonly interval: number;
  readonly numTasks: number;
  readonly groupSize: number;
  readonly sampling: PolicySampling;
  readonly env: readonly ResolvedEvalEnv[];
}

export interface ResolvedRun extends Omit<
  RunFields,
  "envRatios" | "env" | "lora" | "optimizer" | "eval" | "checkpoint"
> {
  /** Absent where epochs alone end the run. */
  readonly maxSteps?: number;
  readonly batchSize: number;
  readonly lead: number;
  readonly env: readonly ResolvedTrainEnv[];
  /** False trains all weights. */
  readonly lora: AdapterSpec | false;
  readonly optimizer: ResolvedOptimizer;
  readonly eval: ResolvedEvaluation | false;
  readonly checkpoint: { readonly interval: number; readonly keep: number };
}
export interface ResolvedOptimizer {
  readonly learningRate: number;
  readonly betas: readonly [number, number];
  readonly epsilon: number;
  readonly weightDecay: number;
  readonly gradClip: number;
  readonly schedule: LearningRateSchedule;
}

/** Throws for settings that contradict each other; a file's are found when it is read, with their place. */
export function resolveRun(config: RunConfig): ResolvedRun {
  const problems = checkRun(config);
  if (problems.length > 0) {
    const message = problems.map((problem) => `${problem.path.join(".")}: ${problem.message}`).join("\n");
    throw new HoneError(message, { code: "config" });
  }
  const { envRatios: _envRatios, lora, optimizer, eval: evaluation, ...run } = config;
  const maxSteps = maxStepsOf(config);
  return {
    ...run,
    ...(maxSteps === undefined ? {} : { maxSteps }),
    batchSize: batchSizeOf(config),
    lead: leadOf(config),
    sampling: samplingOf(config),
    env: config.env.map((env, index) => resolveEnv(config, env, index)),
    lora: lora === false ? false : { ...lora, seed: lora.seed ?? config.seed },
    optimizer: { ...optimizer, learningRate: learningRateOf(config), schedule: scheduleOf(config) },
    eval:
      evaluation === false ? false : { ...evaluation, env: evalEnvsOf(config).map(resolveEvalEnv(config, evaluation)) },
    checkpoint: { ...config.checkpoint, interval: checkpointIntervalOf(config) },
  };
}

function resolveEnv(config: RunConfig, env: TrainEnvConfig, index: number): ResolvedTrainEnv {
  return {
    ...env,
    name: environmentName(env),
    ratio: ratioOf(config, env, index),
    groupSize: env.groupSize ?? config.groupSize,
    sampling: samplingOf(config, env),
    algorithm: algorithmOf(config, env),
  };
}

function resolveEvalEnv(
  config: RunConfig,
  { sampling, groupSize, numTasks }: Exclude<RunConfig["eval"], false>,
): (env: EvalEnvConfig) => ResolvedEvalEnv {
  return (env) => ({
    ...env,
    name: environmentName(env),
    groupSize: env.groupSize ?? groupSize,
    numTasks: env.numTasks ?? numTasks,
    sampling: { ...samplingOf(config), ...sampling, ...env.sampling },
  });
}

/** Text of run.toml. The schema has the order of the keys, so that equal runs are equal texts. */
export function writeRun(run: ResolvedRun): string {
  return writeToml(RunFields.parse(run), RunFields);
}

export function groupsPerBatch({ batchSize, groupSize }: Pick<ResolvedRun, "batchSize" | "groupSize">): number {
  return batchSize / groupSize;
}

/** As an engine takes it; the learning rate is the highest of the schedule. */
export function optimizerStep({ optimizer }: Pick<ResolvedRun, "optimizer">): OptimizerStep {
  const { learningRate, betas, epsilon, weightDecay, gradClip } = optimizer;
  return { learningRate, betas, epsilon, weightDecay, gradientClip: gradClip };
}
