// Halves of checkpoints and floats. Widening is exact; narrowing rounds to nearest, ties to even.
import type { KernelCall } from "./calls.ts";
import type { Floats } from "./memory.ts";

export interface Conversion<F> {
  readonly floats: F;
  /** As long as `floats`. */
  readonly halves: Uint16Array;
}

export interface ConvertKernels<F extends Floats = Float32Array> {
  fromBfloat16(conversion: Conversion<F>): void;
  toBfloat16(conversion: Conversion<F>): void;
  fromFloat16(conversion: Conversion<F>): void;
  toFloat16(conversion: Conversion<F>): void;
}

export function convertKernels(call: KernelCall): ConvertKernels {
  return {
    fromBfloat16: ({ floats, halves }) => {
      call("fromBfloat16", floats.length, floats, halves);
    },
    toBfloat16: ({ floats, halves }) => {
      call("toBfloat16", floats.length, floats, halves);
    },
    fromFloat16: ({ floats, halves }) => {
      call("fromFloat16", floats.length, floats, halves);
    },
    toFloat16: ({ floats, halves }) => {
      call("toFloat16", floats.length, floats, halves);
    },
  };
}
