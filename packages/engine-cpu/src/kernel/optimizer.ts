// AdamW and what a step needs around it. Sums run in a fixed order, so they do not depend on the number of threads.
import type { KernelCall } from "./calls.ts";
import type { Floats } from "./memory.ts";

export interface AdamwStep<F> {
  readonly weight: F;
  readonly gradient: F;
  readonly firstMoment: F;
  readonly secondMoment: F;
  readonly learningRate: number;
  readonly betas: readonly [number, number];
  readonly epsilon: number;
  readonly weightDecay: number;
  /** From 1: this step's number. */
  readonly step: number;
  /** What clipping asks for; 1 leaves the gradient as it is. */
  readonly gradientScale: number;
}

export interface OptimizerKernels<F extends Floats = Float32Array> {
  adamw(step: AdamwStep<F>): void;
  /** out += factor x input */
  addScaled(sum: { readonly out: F; readonly input: F; readonly factor: number }): void;
  scale(product: { readonly values: F; readonly factor: number }): void;
  /** Not finite where a value is not. */
  sumOfSquares(values: F): number;
  /** How many are infinite or not numbers. */
  countNonFinite(values: F): number;
}

export function optimizerKernels(call: KernelCall): OptimizerKernels {
  return {
    adamw: ({
      weight,
      gradient,
      firstMoment,
      secondMoment,
      learningRate,
      betas,
      epsilon,
      weightDecay,
      step,
      gradientScale,
    }) => {
      const corrections = betas.map((beta) => 1 - beta ** step);
      const settings = [learningRate, ...betas, epsilon, weightDecay, ...corrections, gradientScale];
      call("adamw", weight.length, ...settings, weight, gradient, firstMoment, secondMoment);
    },
    addScaled: ({ out, input, factor }) => {
      call("addScaled", out.length, factor, out, input);
    },
    scale: ({ values, factor }) => {
      call("scale", values.length, factor, values);
    },
    sumOfSquares: (values) => call("sumOfSquares", values.length, values),
    countNonFinite: (values) => call("countNonFinite", values.length, values),
  };
}
