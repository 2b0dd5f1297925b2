// The linear layer, weights stored as outputs x inputs. A row of the result has the same bits alone, in any batch and on any
// number of threads. A low-rank adapter is one call more, into a narrow array; the way back from it is part of the layer's own call.
import type { KernelCall } from "./calls.ts";
import type { Floats } from "./memory.ts";

export interface LinearShape {
  readonly rows: number;
  readonly inputs: number;
  readonly outputs: number;
}
/** A product through few columns, added to the layer's own after it: the same bits as a call of its own with `accumulate`. */
export interface LowRank<F> {
  readonly rank: number;
  /** [rows][rank] */
  readonly narrow: F;
  /** [outputs][rank] forward, [rank][inputs] backward */
  readonly weight: F;
}
export interface LinearForward<F> extends LinearShape {
  /** [rows][outputs] */
  readonly out: F;
  /** [rows][inputs] */
  readonly input: F;
  /** [outputs][inputs] */
  readonly weight: F;
  /** [outputs] */
  readonly bias?: F;
  /** Adds to `out` instead of overwriting it. */
  readonly accumulate?: boolean;
  readonly low?: LowRank<F>;
}
export interface LinearBackwardInput<F> extends LinearShape {
  readonly inputGradient: F;
  readonly outputGradient: F;
  readonly weight: F;
  readonly accumulate?: boolean;
  readonly low?: LowRank<F>;
}
export interface LinearBackwardWeight<F> extends LinearShape {
  /** Always added to. */
  readonly weightGradient: F;
  readonly outputGradient: F;
  readonly input: F;
}
export interface LinearBackwardBias<F> {
  readonly rows: number;
  readonly outputs: number;
  /** Always added to. */
  readonly biasGradient: F;
  readonly outputGradient: F;
}

export interface LinearKernels<F extends Floats = Float32Array> {
  /** out = input weight^T + bias + narrow low^T */
  forward(layer: LinearForward<F>): void;
  /** inputGradient = outputGradient weight + narrow low */
  backwardInput(layer: LinearBackwardInput<F>): void;
  /** weightGradient += outputGradient^T input */
  backwardWeight(layer: LinearBackwardWeight<F>): void;
  backwardBias(layer: LinearBackwardBias<F>): void;
}

/** As the calls take it: rank 0 where there is none. */
export function lowRankArguments(low: LowRank<Float32Array> | undefined) {
  return [low?.rank ?? 0, low?.narrow ?? null, low?.weight ?? null] as const;
}

export function linearKernels(call: KernelCall): LinearKernels {
  return {
    forward: ({ rows, inputs, outputs, out, input, weight, bias, accumulate, low }) => {
      const flag = Number(accumulate ?? false);
      call("linearForward", rows, inputs, outputs, flag, out, input, weight, bias ?? null, ...lowRankArguments(low));
    },
    backwardInput: ({ rows, inputs, outputs, inputGradient, outputGradient, weight, accumulate, low }) => {
      const flag = Number(accumulate ?? false);
      const shape = [rows, inputs, outputs] as const;
      call("linearBackwardInput", ...shape, flag, inputGradient, outputGradient, weight, ...lowRankArguments(low));
    },
    backwardWeight: ({ rows, inputs, outputs, weightGradient, outputGradient, input }) => {
      call("linearBackwardWeight", rows, inputs, outputs, weightGradient, outputGradient, input);
    },
    backwardBias: ({ rows, outputs, biasGradient, outputGradient }) => {
      call("linearBackwardBias", rows, outputs, biasGradient, outputGradient);
    },
  };
}
