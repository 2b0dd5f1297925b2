// Sample → update. The gradient of every loss of the batch, in parts that the engine can hold, then one optimiser step: policy n - 1 becomes policy n and
// is published. The parts add up: weights are normalised over the whole update before, and engines sum.
import {
  type CustomLoss,
  forwardBackwardCustom,
  type LossSpec,
  type OptimizerStep,
  type Sample,
  type Trainer,
} from "@hone/core";
import type { LossPart } from "../sample/batch.ts";

export interface UpdateResult {
  readonly version: number;
  readonly metrics: Readonly<Record<string, number>>;
}

export interface UpdateOptions {
  readonly optimizer: OptimizerStep;
  /** Tokens in one call of forwardBackward, at most; a longer sample has one to itself. Without it each loss is one call. */
  readonly microBatchTokens?: number;
}

export async function updatePolicy(
  trainer: Trainer,
  parts: readonly LossPart[],
  { optimizer, microBatchTokens = Infinity }: UpdateOptions,
): Promise<UpdateResult> {
  const means = new Means();
  let loss = 0;
  try {
    for (const part of parts) {
      for (const samples of microBatches(part.samples, microBatchTokens)) {
        loss += await gradientOf(trainer, { loss: part.loss, samples }, means);
      }
    }
  } catch (error) {
    // The engine fails the update that follows and drops the gradient with it: the next batch starts from nothing.
    await trainer.update(optimizer).catch(() => undefined);
    throw error;
  }
  const update = await trainer.update(optimizer);
  const { version } = await trainer.publish();
  const metrics = {
    ...means.values(),
    ...prefixed(update.metrics),
    "update/loss": loss,
    "update/gradient_norm": update.gradientNorm,
    "update/learning_rate": optimizer.learningRate,
  };
  return { version, metrics };
}

/** In order, each as long as the limit allows. */
export function microBatches(samples: readonly Sample[], mostTokens: number): (readonly Sample[])[] {
  const batches: Sample[][] = [];
  let tokens = 0;
  for (const sample of samples) {
    tokens += sample.tokens.length;
    if (tokens > mostTokens || batches.length === 0) {
      batches.push([]);
      tokens = sample.tokens.length;
    }
    batches.at(-1)?.push(sample);
  }
  return batches;
}

async function gradientOf(trainer: Trainer, { loss, samples }: LossPart, means: Means): Promise<number> {
  if (isCustom(loss)) return forwardBackwardCustom(trainer, samples, loss);
  const report = await trainer.forwardBackward(samples, loss);
  const { kl, tokens } = drift(report.logprobs, samples);
  means.add({ ...prefixed(report.metrics), "update/sampler_kl": kl }, tokens);
  return report.loss;
}

/** What several calls said about their part, as one: the mean over trained tokens. */
class Means {
  readonly #sums = new Map<string, { sum: number; tokens: number }>();

  add(metrics: Readonly<Record<string, number>>, tokens: number): void {
    for (const [name, value] of Object.entries(metrics)) {
      const known = this.#sums.get(name) ?? { sum: 0, tokens: 0 };
      this.#sums.set(name, { sum: known.sum + value * tokens, tokens: known.tokens + tokens });
    }
  }

  values(): Record<string, number> {
    return Object.fromEntries([...this.#sums].map(([name, { sum, tokens }]) => [name, sum / Math.max(tokens, 1)]));
  }
}

/** How far the policy that trains is from the ones that sampled: the mean of q - p over trained tokens, 0 when they are one. */
function drift(
  logprobs: readonly Float32Array[],
  samples: readonly Sample[],
): { readonly kl: number; readonly tokens: number } {
  let sum = 0;
  let tokens = 0;
  for (const [index, { weight, logprob }] of samples.entries()) {
    const now = logprobs[index];
    if (now === undefined) continue;
    for (let at = 0; at < weight.length; at++) {
      if (weight[at] === 0) continue;
      sum += logprob[at]! - now[at]!;
      tokens++;
    }
  }
  return { kl: sum / Math.max(tokens, 1), tokens };
}

function isCustom(loss: LossSpec | CustomLoss): loss is CustomLoss {
  return typeof loss === "function";
}

function prefixed(metrics: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(metrics).map(([name, value]) => [name.startsWith("update/") ? name : `update/${name}`, value]),
  );
}
