// Losses are data, so an engine never learns an algorithm's name. Definitions per token, with p = current logprob, q = the sampler's,
// r = exp(p - q), A = advantage; the loss is sum(weight x term), nothing is averaged by an engine.
import type { Trainer } from "./engine.ts";
import type { Sample } from "./sample.ts";

export type LossSpec =
  | { readonly type: "none" } // forward only
  | { readonly type: "cross_entropy" } // -p
  | { readonly type: "importance_sampling" } // -r A
  | { readonly type: "ppo"; readonly clipLow: number; readonly clipHigh: number } // -min(r A, clip(r, low, high) A)
  | { readonly type: "cispo"; readonly clipLow: number; readonly clipHigh: number } // -stopgrad(clip(r, low, high)) p A
  | { readonly type: "dro"; readonly beta: number } // -(p A - beta/2 (p - q)^2)
  | DppoLoss;
export type LossType = LossSpec["type"];

/**
 * prime-rl's default: importance sampling that drops a token once its probability has moved too far the way its advantage
 * pushes it, d = exp(p) - exp(q), d > maskHigh where A > 0 and d < -maskLow elsewhere; the squared log-ratio holds all tokens back.
 */
export interface DppoLoss {
  readonly type: "dppo";
  readonly maskLow: number;
  readonly maskHigh: number;
  readonly klWeight: number;
}

/** A loss of one's own: its value on one sample, and d value / d logprob per token. */
export type CustomLoss = (
  logprobs: Float32Array,
  sample: Sample,
) => { readonly value: number; readonly gradient: Float32Array };

/** The term of one token and its derivative by p. Engines in TypeScript use this; the others are tested against it. */
export function lossTerm(
  loss: LossSpec,
  p: number,
  q: number,
  advantage: number,
): { readonly term: number; readonly slope: number } {
  const ratio = Math.exp(p - q);
  switch (loss.type) {
    case "none":
      return { term: 0, slope: 0 };
    case "cross_entropy":
      return { term: -p, slope: -1 };
    case "importance_sampling":
      return { term: -ratio * advantage, slope: -ratio * advantage };
    case "ppo": {
      const clipped = Math.min(Math.max(ratio, loss.clipLow), loss.clipHigh);
      const isClipped = clipped * advantage < ratio * advantage;
      return { term: -Math.min(ratio * advantage, clipped * advantage), slope: isClipped ? 0 : -ratio * advantage };
    }
    case "cispo": {
      const clipped = Math.min(Math.max(ratio, loss.clipLow), loss.clipHigh);
      return { term: -clipped * p * advantage, slope: -clipped * advantage };
    }
    case "dro":
      return { term: -(p * advantage - (loss.beta / 2) * (p - q) ** 2), slope: -(advantage - loss.beta * (p - q)) };
    case "dppo": {
      const moved = Math.exp(p) - Math.exp(q);
      const isMasked = advantage > 0 ? moved > loss.maskHigh : moved < -loss.maskLow;
      const gain = isMasked ? 0 : ratio * advantage;
      return { term: -gain + loss.klWeight * (p - q) ** 2, slope: -gain + 2 * loss.klWeight * (p - q) };
    }
  }
}

/** Any function of the logprobs, on any engine: forward, then cross-entropy with weight = -gradient. */
export async function forwardBackwardCustom(
  trainer: Trainer,
  samples: readonly Sample[],
  loss: CustomLoss,
): Promise<number> {
  const { logprobs } = await trainer.forwardBackward(samples, { type: "none" });
  let total = 0;
  const weighted = samples.map((sample, index): Sample => {
    const { value, gradient } = loss(logprobs[index] ?? new Float32Array(sample.tokens.length), sample);
    total += value;
    return { ...sample, weight: gradient.map((slope) => -slope) };
  });
  await trainer.forwardBackward(weighted, { type: "cross_entropy" });
  return total;
}
