// Logprobs of given tokens, log softmax(z / temperature), and their gradients. `forward` and `backward` go from hidden states through
// the output layer without ever holding all logits; the other two work on logits that are there. Both give a token the same bits.
import type { KernelCall } from "./calls.ts";
import { type LowRank, lowRankArguments } from "./linear.ts";
import type { Floats } from "./memory.ts";

export interface FusedLoss<F> {
  readonly rows: number;
  readonly width: number;
  readonly vocabulary: number;
  /** [rows][width] */
  readonly hidden: F;
  /** [vocabulary][width] */
  readonly weight: F;
  /** [rows] */
  readonly targets: Int32Array;
  /** [rows], above 0 */
  readonly temperature: F;
  /** An adapter of the output layer; its weight is [vocabulary][rank]. */
  readonly low?: LowRank<F>;
}
export interface LossForward<F> extends FusedLoss<F> {
  /** [rows] */
  readonly logprob: F;
  /** [rows]: kept for the backward pass. */
  readonly logSum?: F;
}
export interface LossBackward<F> extends FusedLoss<F> {
  readonly logSum: F;
  /** [rows]: d loss / d logprob */
  readonly slope: F;
  /** Overwritten. */
  readonly hiddenGradient: F;
  /** Always added to; left out where the output layer is frozen. */
  readonly weightGradient?: F;
  /** With `low`: that of `narrow` is overwritten, that of its weight added to, and left out where it is frozen. */
  readonly lowGradient?: { readonly narrow: F; readonly weight?: F };
}
interface LogitRows<F> {
  readonly rows: number;
  readonly vocabulary: number;
  /** [rows][vocabulary] */
  readonly logits: F;
  readonly targets: Int32Array;
  readonly temperature: F;
}
export interface LogitsLogprob<F> extends LogitRows<F> {
  readonly logprob: F;
  readonly logSum?: F;
}
export interface LogitsBackward<F> extends LogitRows<F> {
  readonly logSum: F;
  readonly slope: F;
}

export interface LossKernels<F extends Floats = Float32Array> {
  forward(loss: LossForward<F>): void;
  /** Computes the logits again: one matmul more than with `logitsBackward`, and no array of rows x vocabulary. */
  backward(loss: LossBackward<F>): void;
  logitsLogprob(loss: LogitsLogprob<F>): void;
  /** Turns logits into their gradients, in place. */
  logitsBackward(loss: LogitsBackward<F>): void;
}

export function lossKernels(call: KernelCall): LossKernels {
  const fused = (l: FusedLoss<Float32Array>) =>
    [l.rows, l.width, l.vocabulary, l.hidden, l.weight, l.targets, l.temperature, ...lowRankArguments(l.low)] as const;
  const given = (l: LogitRows<Float32Array>) => [l.rows, l.vocabulary, l.logits, l.targets, l.temperature] as const;
  return {
    forward: (loss) => {
      call("lossForward", ...fused(loss), loss.logprob, loss.logSum ?? null);
    },
    backward: (loss) => {
      const { logSum, slope, hiddenGradient, weightGradient, lowGradient } = loss;
      const gradients = [
        hiddenGradient,
        weightGradient ?? null,
        lowGradient?.narrow ?? null,
        lowGradient?.weight ?? null,
      ];
      call("lossBackward", ...fused(loss), logSum, slope, ...gradients);
    },
    logitsLogprob: (loss) => {
      call("logitsLogprob", ...given(loss), loss.logprob, loss.logSum ?? null);
    },
    logitsBackward: (loss) => {
      call("logitsBackward", ...given(loss), loss.logSum, loss.slope);
    },
  };
}
