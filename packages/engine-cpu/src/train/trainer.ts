// What the engine's thread trains with. Work is sliced: a generator yields where something else may run.
import type { AdapterSpec, LossReport, LossSpec, OptimizerStep, Sample, UpdateReport } from "@hone/core";
import type { PolicyWeights } from "../model/weights.ts";

export interface CpuTrainer {
  /** The policy as it is now; changed by `update`. */
  readonly policy: PolicyWeights;
  /** Checks everything before it computes; after a throw the gradient is worth nothing until `discard`. */
  forwardBackward(samples: readonly Sample[], loss: LossSpec): Generator<void, LossReport>;
  /** Takes the gradient, whether it succeeds or not. */
  update(step: OptimizerStep): UpdateReport;
  /** Drops the gradient. */
  discard(): void;
  /** Gives back the memory that it has for itself; it must not be used afterwards. */
  release(): void;
  state(): TrainerState;
}

/** What a checkpoint holds of a trainer; arrays are the live ones. */
export interface TrainerState {
  readonly version: number;
  /** Optimiser steps taken: Adam's correction needs them. */
  readonly steps: number;
  readonly adapter: AdapterSpec | "full";
  /** "weight/<name>", "first/<name>", "second/<name>": trainable parameters and their two moments. */
  readonly tensors: ReadonlyMap<string, Float32Array>;
}
