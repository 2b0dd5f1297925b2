// Everything the engine computes with, in groups. Two builds of the same C sources implement it, and a reference in plain TypeScript.
// Calls are synchronous and block their thread: the engine makes them from a worker, never from the main thread.
import { type AttentionKernels, attentionKernels } from "./attention.ts";
import type { KernelCall } from "./calls.ts";
import { type ConvertKernels, convertKernels } from "./convert.ts";
import { type LayerKernels, layerKernels } from "./layer.ts";
import { type LinearKernels, linearKernels } from "./linear.ts";
import { type LossKernels, lossKernels } from "./loss.ts";
import type { Floats, KernelMemory } from "./memory.ts";
import { type OptimizerKernels, optimizerKernels } from "./optimizer.ts";
import { type RowKernels, rowKernels } from "./rows.ts";
import { type SampleKernels, sampleKernels } from "./sample.ts";

export interface KernelInfo {
  readonly build: "native" | "wasm" | "reference";
  /**
   * Sets with fused multiply-add (avx512, avx2, neon) give the same bits among each other; so do those without (baseline, wasm).
   */
  readonly instructionSet: string;
  /** Any number gives the same bits. */
  readonly threads: number;
}

export interface Kernels<F extends Floats = Float32Array> {
  readonly info: KernelInfo;
  readonly memory: KernelMemory<F>;
  readonly linear: LinearKernels<F>;
  readonly layer: LayerKernels<F>;
  readonly rows: RowKernels<F>;
  readonly attention: AttentionKernels<F>;
  readonly loss: LossKernels<F>;
  readonly sample: SampleKernels<F>;
  readonly optimizer: OptimizerKernels<F>;
  readonly convert: ConvertKernels<F>;
  /** Ends the threads. Arrays stay readable; calls fail. */
  readonly close: () => void;
}

export interface KernelBuild {
  readonly info: KernelInfo;
  readonly memory: KernelMemory;
  readonly call: KernelCall;
  readonly close: () => void;
}

/** The groups, on top of what one build provides. */
export function kernelsOf({ info, memory, call, close }: KernelBuild): Kernels {
  return {
    info,
    memory,
    linear: linearKernels(call),
    layer: layerKernels(call),
    rows: rowKernels(call),
    attention: attentionKernels(call),
    loss: lossKernels(call),
    sample: sampleKernels(call),
    optimizer: optimizerKernels(call),
    convert: convertKernels(call),
    close,
  };
}
