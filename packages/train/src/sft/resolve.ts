// A configuration of fine-tuning with every default filled in, and its file. What is resolved is itself a configuration: run.toml holds it.
import { type ConfigText, readConfig, writeToml } from "@hone/config";
import type { AdapterSpec, OptimizerStep } from "@hone/core";
import type { LearningRateSchedule } from "../update/learning-rate.ts";
import type { BatchSize } from "./batches.ts";
import { RunFields } from "../config/run-config.ts";
import { SftConfig, SftFields } from "./config.ts";
import type { SftEvaluation } from "./options.ts";

export interface ResolvedSft extends Omit<SftFields, "lora" | "optimizer"> {
  /** False trains all weights. */
  readonly lora: AdapterSpec | false;
  readonly optimizer: Omit<SftFields["optimizer"], "learningRate" | "schedule"> & {
    readonly learningRate: number;
    readonly schedule: LearningRateSchedule;
  };
}

const usualBatch = 32;
const usualFraction = 0.02;

function resolveSft(config: SftConfig): ResolvedSft {
  const { maxSteps, epochs, batchSize, batchTokens, optimizer, init, seed, eval: evaluation, ...rest } = config;
  // Without a word about it, the adapter of a training run.
  const { lora: asked = init === "random" ? false : RunFields.shape.lora.parse(undefined) } = config;
  const lora = asked === false ? false : { seed, ...asked };
  const { schedule } = optimizer;
  return {
    ...rest,
    seed,
    ...(init === undefined ? {} : { init, initSeed: config.initSeed ?? seed }),
    ...(maxSteps === undefined ? { epochs: epochs ?? 1 } : { maxSteps }),
    ...(batchTokens === undefined ? { batchSize: batchSize ?? usualBatch } : { batchTokens }),
    eval:
      evaluation === false || evaluation.paths !== undefined
        ? evaluation
        : { ...evaluation, fraction: evaluation.fraction ?? usualFraction },
    lora,
    optimizer: {
      ...optimizer,
      learningRate: optimizer.learningRate ?? learningRateOf(config.engine, lora !== false),
      schedule: typeof schedule === "string" ? { type: schedule, warmupSteps: 0, final: 0 } : schedule,
    },
  };
}

/** The same as of a training run: measured on small models for the cpu engine, elsewhere what is usual for large ones. */
function learningRateOf(engine: string, isLora: boolean): number {
  return engine === "cpu" ? (isLora ? 2e-3 : 3e-4) : isLora ? 1e-4 : 1e-6;
}

export interface LoadedSft {
  readonly config: ResolvedSft;
  /** The resolved run as a file: what run.toml holds. */
  readonly toml: string;
}

export interface LoadSftOptions {
  /** Paths, or texts with the name to call them by; tables merge, arrays replace, later files win. */
  readonly files: readonly (string | ConfigText)[];
  /** `optimizer.learning_rate=1e-3`, as after `--set`. */
  readonly overrides?: readonly string[];
  readonly cwd?: string;
}

export async function loadSftConfig({
  files,
  overrides = [],
  cwd = process.cwd(),
}: LoadSftOptions): Promise<LoadedSft> {
  const { value } = await readConfig({ schema: SftConfig, files, set: overrides, cwd });
  const config = resolveSft(value);
  return { config, toml: writeToml(SftFields.parse(config), SftFields) };
}

/** As the options of `sft` have it. */
export function sftSettings(config: ResolvedSft): SftSettings {
  const { seed, tooLong, trainOn, partTokens, maxSteps, epochs, batchSize, batchTokens, lora, optimizer } = config;
  const { gradClip, schedule, ...step } = optimizer;
  const evaluation = config.eval;
  return {
    seed,
    tooLong,
    trainOn,
    partTokens,
    ...(maxSteps === undefined ? {} : { maxSteps }),
    ...(epochs === undefined ? {} : { epochs }),
    batch: batchTokens === undefined ? { conversations: batchSize ?? usualBatch } : { tokens: batchTokens },
    adapter: lora === false ? "full" : lora,
    optimizer: { ...step, gradientClip: gradClip },
    schedule,
    evaluation:
      evaluation === false
        ? { interval: 1, fraction: 0, paths: [], maxConversations: 0 }
        : {
            interval: evaluation.interval,
            fraction: evaluation.fraction ?? 0,
            paths: evaluation.paths ?? [],
            maxConversations: evaluation.maxConversations,
          },
  };
}

export interface SftSettings extends Pick<ResolvedSft, "seed" | "tooLong" | "trainOn" | "partTokens"> {
  readonly maxSteps?: number;
  readonly epochs?: number;
  readonly batch: BatchSize;
  readonly adapter: AdapterSpec | "full";
  readonly optimizer: OptimizerStep;
  readonly schedule: LearningRateSchedule;
  readonly evaluation: SftEvaluation;
}
