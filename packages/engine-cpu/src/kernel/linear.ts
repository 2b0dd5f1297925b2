// The linear layer, weights stored as outputs x inputs. A row of the result has the same bits alone, in any batch and on any
// number of threads. Low-rank adapters are two calls: into a narrow array, then on top of the output with `accumulate`.
import type { KernelCall } from "./calls.ts";
import type { Floats } from "./memory.ts";

export interface LinearShape {
  readonly rows: number;
  readonly inputs: number;
  readonly outputs: number;
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
}
export interface LinearBackwardInput<F> extends LinearShape {
  readonly inputGradient: F;
  readonly outputGradient: F;
  readonly weight: F;
  readonly accumulate?: boolean;
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
  /** out = input weight^T + bias */
  forward(layer: LinearForward<F>): void;
  /** inputGradient = outputGradient weight */
  backwardInput(layer: LinearBackwardInput<F>): void;
  /** weightGradient += outputGradient^T input */
  backwardWeight(layer: LinearBackwardWeight<F>): void;
  backwardBias(layer: LinearBackwardBias<F>): void;
}

export function linearKernels(call: KernelCall): LinearKernels {
  return {
    forward: ({ rows, inputs, outputs, out, input, weight, bias, accumulate }) => {
      call("linearForward", rows, inputs, outputs, Number(accumulate ?? false), out, input, weight, bias ?? null);
    },
    backwardInput: ({ rows, inputs, outputs, inputGradient, outputGradient, weight, accumulate }) => {
      const flag = Number(accumulate ?? false);
      call("linearBackwardInput", rows, inputs, outputs, flag, inputGradient, outputGradient, weight);
    },
    backwardWeight: ({ rows, inputs, outputs, weightGradient, outputGradient, input }) => {
      call("linearBackwardWeight", rows, inputs, outputs, weightGradient, outputGradient, input);
    },
    backwardBias: ({ rows, outputs, biasGradient, outputGradient }) => {
      call("linearBackwardBias", rows, outputs, biasGradient, outputGradient);
    },
  };
}
