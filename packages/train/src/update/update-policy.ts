// Sample → update. The gradient of every loss of the batch, in parts that the engine can hold, then one optimiser step: policy n - 1 becomes policy n and
// is published. The parts add up: weights are normalised over the whole update before, and engines sum.
import {
  type CustomLoss,
  forwardBackwardCustom,
  type LossReport,
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
  const report = isCustom(loss)
    ? await customReport(trainer, samples, loss)
    : await trainer.forwardBackward(samples, loss);
  const { tokens, metrics } = movement(report.logprobs, samples);
  // A count has no mean; how many tokens there were is among the batch's own figures.
  const { tokens: _count, ...told } = report.metrics;
  means.add({ ...prefixed(told), ...metrics }, tokens);
  return report.loss;
}

/** The logprobs that the function was handed are the policy's own, sample by sample. */
async function customReport(trainer: Trainer, samples: readonly Sample[], loss: CustomLoss): Promise<LossReport> {
  const logprobs: Float32Array[] = [];
  const value = await forwardBackwardCustom(trainer, samples, (own, sample) => {
    logprobs.push(own);
    return loss(own, sample);
  });
  return { loss: value, logprobs, metrics: {} };
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

interface Movement {
  readonly tokens: number;
  readonly metrics: Readonly<Record<string, number>>;
}

/** e to this is as far off as a ratio is told: one token that was all but impossible would hide the others. */
const mostLogRatio = 20;

/** The policy that trains, p, beside the ones that sampled, q, as means over the trained tokens: log q - log p, p / q, and -log p, which estimates
    p's entropy from what was sampled. While they are one policy the first is 0 and the second 1. */
function movement(logprobs: readonly Float32Array[], samples: readonly Sample[]): Movement {
  let [kl, ratio, entropy, tokens] = [0, 0, 0, 0];
  for (const [index, { weight, logprob }] of samples.entries()) {
    const now = logprobs[index];
    if (now === undefined) continue;
    for (let at = 0; at < weight.length; at++) {
      if (weight[at] === 0) continue;
      const change = now[at]! - logprob[at]!;
      kl -= change;
      ratio += Math.exp(Math.min(mostLogRatio, change));
      entropy -= now[at]!;
      tokens++;
    }
  }
  const sums = { "update/sampler_kl": kl, "update/ratio": ratio, "update/entropy": entropy };
  const means = Object.entries(sums).map(([name, sum]) => [name, sum / Math.max(tokens, 1)]);
  return { tokens, metrics: Object.fromEntries(means) };
}

function isCustom(loss: LossSpec | CustomLoss): loss is CustomLoss {
  return typeof loss === "function";
}

function prefixed(metrics: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(metrics).map(([name, value]) => [name.startsWith("update/") ? name : `update/${name}`, value]),
  );
}
