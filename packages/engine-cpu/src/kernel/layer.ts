// What lies between the linear layers of a decoder: norms, rotary positions, the gated activation. All work row by row.
import type { KernelCall } from "./calls.ts";
import type { Floats } from "./memory.ts";

export interface NormForward<F> {
  /** Tokens; for a norm per head, tokens x heads. */
  readonly rows: number;
  readonly width: number;
  readonly epsilon: number;
  /** [rows][width]; may be the input. */
  readonly out: F;
  readonly input: F;
  /** [width] */
  readonly weight: F;
  /** [rows]: kept for the backward pass. */
  readonly inverse?: F;
}
export interface NormBackward<F> {
  readonly rows: number;
  readonly width: number;
  readonly inputGradient: F;
  /** Always added to; left out where the weight is frozen. */
  readonly weightGradient?: F;
  readonly outputGradient: F;
  readonly input: F;
  readonly inverse: F;
  readonly weight: F;
  /** Adds to `inputGradient`: the residual connection's gradient is there already. */
  readonly accumulate?: boolean;
}
export interface Rotation<F> {
  readonly rows: number;
  readonly heads: number;
  /** Even. Component i turns with component i + headWidth / 2. */
  readonly headWidth: number;
  /** Positions that the tables hold. */
  readonly contextTokens: number;
  /** [rows][heads][headWidth], in place. */
  readonly values: F;
  /** [contextTokens][headWidth / 2], any scaling included. */
  readonly cosine: F;
  readonly sine: F;
  /** [rows] */
  readonly positions: Int32Array;
  /** "backward" takes gradients back. */
  readonly direction: "forward" | "backward";
}
export interface SwigluForward<F> {
  readonly length: number;
  readonly out: F;
  readonly gate: F;
  readonly up: F;
}
export interface SwigluBackward<F> {
  readonly length: number;
  /** May be `gate`. */
  readonly gateGradient: F;
  /** May be `up`. */
  readonly upGradient: F;
  readonly outputGradient: F;
  readonly gate: F;
  readonly up: F;
}

export interface LayerKernels<F extends Floats = Float32Array> {
  /** out = input / sqrt(mean(input^2) + epsilon) * weight, per row */
  normForward(norm: NormForward<F>): void;
  normBackward(norm: NormBackward<F>): void;
  rotate(rotation: Rotation<F>): void;
  /** out = gate * sigmoid(gate) * up */
  swigluForward(activation: SwigluForward<F>): void;
  swigluBackward(activation: SwigluBackward<F>): void;
}

export function layerKernels(call: KernelCall): LayerKernels {
  return {
    normForward: ({ rows, width, epsilon, out, inverse, input, weight }) => {
      call("normForward", rows, width, epsilon, out, inverse ?? null, input, weight);
    },
    normBackward: (norm) => {
      const { rows, width, inputGradient, weightGradient, outputGradient, input, inverse, weight } = norm;
      const flag = Number(norm.accumulate ?? false);
      call(
        "normBackward",
        rows,
        width,
        flag,
        inputGradient,
        weightGradient ?? null,
        outputGradient,
        input,
        inverse,
        weight,
      );
    },
    rotate: ({ rows, heads, headWidth, contextTokens, values, cosine, sine, positions, direction }) => {
      const sign = direction === "forward" ? 1 : -1;
      call("rotate", rows, heads, headWidth, contextTokens, sign, values, cosine, sine, positions);
    },
    swigluForward: ({ length, out, gate, up }) => {
      call("swigluForward", length, out, gate, up);
    },
    swigluBackward: ({ length, gateGradient, upGradient, outputGradient, gate, up }) => {
      call("swigluBackward", length, gateGradient, upGradient, outputGradient, gate, up);
    },
  };
}
