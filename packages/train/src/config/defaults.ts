// Defaults of a run that depend on other keys, one function each. Checks and resolution both use them, so they cannot disagree.
import type { AlgorithmConfig } from "../algorithm/config.ts";
import type { LearningRateSchedule } from "../update/learning-rate.ts";
import type { EvalEnvConfig, PolicySampling, TrainEnvConfig } from "./env-config.ts";
import type { RunFields } from "./run-config.ts";

const usualBatchSize = 128;
const usualSteps = 20;

/** The largest multiple of the group size that is at most 128; one group at least. */
export function batchSizeOf({ batchSize, groupSize }: RunFields): number {
  return batchSize ?? groupSize * Math.max(1, Math.floor(usualBatchSize / groupSize));
}

/** Undefined where epochs alone end the run. */
export function maxStepsOf({ maxSteps, epochs }: RunFields): number | undefined {
  return maxSteps ?? (epochs === undefined ? usualSteps : undefined);
}

/** Sampling ahead pays where the engine has a processor of its own. */
export function leadOf({ lead, engine }: RunFields): number {
  return lead ?? (engine === "cpu" ? 0 : 1);
}

export function checkpointIntervalOf({ checkpoint, engine }: RunFields): number {
  return checkpoint.interval ?? (engine === "cpu" ? 1 : 10);
}

/** Measured on small models for the cpu engine; elsewhere what is usual for models a thousand times as large. */
export function learningRateOf({ optimizer, engine, lora }: RunFields): number {
  if (optimizer.learningRate !== undefined) return optimizer.learningRate;
  const isLora = lora !== false;
  return engine === "cpu" ? (isLora ? 2e-3 : 3e-4) : isLora ? 1e-4 : 1e-6;
}

export function scheduleOf({ optimizer: { schedule } }: RunFields): LearningRateSchedule {
  return typeof schedule === "string" ? { type: schedule, warmupSteps: 0, final: 0 } : schedule;
}

export function ratioOf({ envRatios }: RunFields, { ratio }: TrainEnvConfig, index: number): number {
  return ratio ?? envRatios?.[index] ?? 1;
}

export function algorithmOf({ algorithm }: RunFields, env: TrainEnvConfig): AlgorithmConfig {
  return env.algorithm ?? algorithm;
}

export function samplingOf({ sampling }: RunFields, env?: TrainEnvConfig): PolicySampling {
  return { temperature: 1, ...sampling, ...env?.sampling };
}

/** What is evaluated: where the file does not say, the environments that are trained on, each on its held-out tasks. */
export function evalEnvsOf({ eval: evaluation, env }: RunFields): readonly EvalEnvConfig[] {
  if (evaluation === false) return [];
  return (
    evaluation.env ??
    env.map((one) => {
      const { ratio: _ratio, algorithm: _algorithm, groupSize: _groupSize, maxTasks: _maxTasks, ...same } = one;
      return { ...same, split: "eval", sampling: { ...one.sampling, ...evaluation.sampling } };
    })
  );
}
