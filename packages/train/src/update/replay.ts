// Weights n - 1 and samples/n give weights n: updates of a run made again from what is on disk. Nothing is sampled, nothing is written.
import type { OptimizerStep, Trainer } from "@hone/core";
import { byLoss, type Treatment } from "../sample/batch.ts";
import { learningRateAt, type LearningRateSchedule } from "./learning-rate.ts";
import { readSamples } from "./sample-file.ts";
import { type UpdateResult, updatePolicy } from "./update-policy.ts";

export interface ReplayOptions extends OptimizerOptions {
  readonly directory: string;
  /** Opened from the checkpoint of update `from`, or fresh where that is 0. It holds policy `to` afterwards. */
  readonly trainer: Trainer;
  readonly from: number;
  readonly to: number;
  readonly treatmentOf: (env: string) => Treatment;
  readonly microBatchTokens?: number;
}

export interface OptimizerOptions {
  readonly optimizer: OptimizerStep;
  readonly schedule: LearningRateSchedule;
  readonly maxSteps: number;
}

/** Updates `from + 1` to `to`, one after the other. */
export async function replayUpdates(options: ReplayOptions): Promise<UpdateResult[]> {
  const { directory, trainer, from, to, treatmentOf, microBatchTokens } = options;
  const results: UpdateResult[] = [];
  for (let step = from + 1; step <= to; step++) {
    const samples = await readSamples(directory, step);
    const micro = microBatchTokens === undefined ? {} : { microBatchTokens };
    const optimizer = optimizerAt(step, options);
    results.push(await updatePolicy(trainer, byLoss(samples, treatmentOf), { optimizer, ...micro }));
  }
  return results;
}

/** The optimiser's settings in update `step`. */
export function optimizerAt(step: number, { optimizer, schedule, maxSteps }: OptimizerOptions): OptimizerStep {
  return { ...optimizer, learningRate: learningRateAt(step, optimizer.learningRate, maxSteps, schedule) };
}
