// Sample → update, for a batch of conversations: the gradient of cross-entropy, part by part, then one step of the optimiser.
import type { OptimizerStep, Sample, Trainer } from "@hone/core";
import type { SftBatch } from "./batches.ts";
import { inParts } from "./batches.ts";

export interface UpdateOptions {
  readonly optimizer: OptimizerStep;
  /** Tokens in one call of forwardBackward, at most. */
  readonly partTokens: number;
}

/** The metrics of the update. A gradient that is not finite rejects; the policy is then unchanged and the gradient gone. */
export async function updateOn(
  trainer: Trainer,
  { samples, tokens }: SftBatch,
  { optimizer, partTokens }: UpdateOptions,
): Promise<Record<string, number>> {
  const started = performance.now();
  const loss = await gradientOf(trainer, inParts(samples, partTokens), optimizer);
  const update = await trainer.update(optimizer);
  const seconds = (performance.now() - started) / 1000;
  const more = Object.entries(update.metrics).map(([name, value]) => [
    name.startsWith("update/") ? name : `update/${name}`,
    value,
  ]);
  return {
    ...(Object.fromEntries(more) as Record<string, number>),
    "update/loss": loss,
    "update/gradient_norm": update.gradientNorm,
    "update/learning_rate": optimizer.learningRate,
    "update/seconds": seconds,
    "update/tokens_per_second": seconds > 0 ? tokens / seconds : 0,
  };
}

/** Queued without waiting: the engine never idles between two parts. */
async function gradientOf(
  trainer: Trainer,
  parts: readonly (readonly Sample[])[],
  optimizer: OptimizerStep,
): Promise<number> {
  const calls = parts.map((part) => trainer.forwardBackward(part, { type: "cross_entropy" }));
  const done = await Promise.allSettled(calls);
  let loss = 0;
  for (const result of done) {
    if (result.status === "fulfilled") {
      loss += result.value.loss;
      continue;
    }
    // The engine fails the update that follows and drops the gradient with it: the next batch starts from nothing.
    await trainer.update(optimizer).catch(() => undefined);
    throw result.reason;
  }
  return loss;
}
