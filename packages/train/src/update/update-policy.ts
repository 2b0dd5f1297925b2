// Sample → update. The gradient of every loss of the batch, then one optimiser step: policy n - 1 becomes policy n, and is published.
import { type CustomLoss, forwardBackwardCustom, type LossSpec, type OptimizerStep, type Trainer } from "@hone/core";
import type { LossPart } from "../sample/batch.ts";

export interface UpdateResult {
  readonly version: number;
  readonly metrics: Readonly<Record<string, number>>;
}

export async function updatePolicy(
  trainer: Trainer,
  parts: readonly LossPart[],
  optimizer: OptimizerStep,
): Promise<UpdateResult> {
  const started = performance.now();
  const metrics: Record<string, number> = {};
  let loss = 0;
  try {
    for (const part of parts) loss += await gradientOf(trainer, part, metrics);
  } catch (error) {
    // The engine fails the update that follows and drops the gradient with it: the next batch starts from nothing.
    await trainer.update(optimizer).catch(() => undefined);
    throw error;
  }
  const update = await trainer.update(optimizer);
  const { version } = await trainer.publish();
  Object.assign(metrics, prefixed(update.metrics));
  metrics["update/loss"] = loss;
  metrics["update/gradient_norm"] = update.gradientNorm;
  metrics["update/learning_rate"] = optimizer.learningRate;
  metrics["update/seconds"] = (performance.now() - started) / 1000;
  return { version, metrics };
}

async function gradientOf(
  trainer: Trainer,
  { loss, samples }: LossPart,
  metrics: Record<string, number>,
): Promise<number> {
  if (isCustom(loss)) return forwardBackwardCustom(trainer, samples, loss);
  const report = await trainer.forwardBackward(samples, loss);
  Object.assign(metrics, prefixed(report.metrics), drift(report.logprobs, samples));
  return report.loss;
}

/** How far the policy that trains is from the ones that sampled: the mean of q - p over trained tokens, 0 when they are one. */
function drift(logprobs: readonly Float32Array[], samples: LossPart["samples"]): Record<string, number> {
  let sum = 0;
  let count = 0;
  for (const [index, { weight, logprob }] of samples.entries()) {
    const now = logprobs[index];
    if (now === undefined) continue;
    for (let at = 0; at < weight.length; at++) {
      if (weight[at] === 0) continue;
      sum += logprob[at]! - now[at]!;
      count++;
    }
  }
  return count === 0 ? {} : { "update/sampler_kl": sum / count };
}

function isCustom(loss: LossSpec | CustomLoss): loss is CustomLoss {
  return typeof loss === "function";
}

function prefixed(metrics: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(metrics).map(([name, value]) => [name.startsWith("update/") ? name : `update/${name}`, value]),
  );
}
