// Every kernel as its definition says, in double precision and without any care for speed: what the tests compare with.
// With Float64Arrays nothing is rounded to single precision, so that finite differences of it are exact to about nine digits.
import type { Kernels } from "./kernels.ts";
import type { Floats, KernelMemory } from "./memory.ts";
import { referenceAttention } from "./reference/attention.ts";
import { referenceLayer } from "./reference/layer.ts";
import { referenceLinear, referenceRows } from "./reference/linear.ts";
import { referenceLoss } from "./reference/loss.ts";
import { referenceConvert, referenceOptimizer } from "./reference/optimizer.ts";
import { referenceSample } from "./reference/sample.ts";

export function referenceKernels(): Kernels<Floats> {
  return {
    info: { build: "reference", instructionSet: "double", threads: 1 },
    memory: referenceMemory(),
    linear: referenceLinear,
    layer: referenceLayer,
    rows: referenceRows,
    attention: referenceAttention,
    loss: referenceLoss,
    sample: referenceSample,
    optimizer: referenceOptimizer,
    convert: referenceConvert,
    close: () => {},
  };
}

function referenceMemory(): KernelMemory<Floats> {
  let usedBytes = 0;
  const counted = <Numbers extends ArrayBufferView>(array: Numbers): Numbers => {
    usedBytes += array.byteLength;
    return array;
  };
  return {
    floats: (length) => counted(new Float64Array(length)),
    ints: (length) => counted(new Int32Array(length)),
    halves: (length) => counted(new Uint16Array(length)),
    release: (array) => {
      usedBytes -= array.byteLength;
    },
    get usedBytes() {
      return usedBytes;
    },
  };
}
