import type { AdapterSpec, LossReport, LossSpec, OptimizerStep, Sample, UpdateReport } from "@hone/core";
import type { PolicyWeights } from "../model/weights.ts";

/** What a checkpoint holds of a trainer; arrays are the live ones. */
export interface TrainerState {
  readonly version: number;
  /** Optimiser steps taken: Adam's correction needs them. */
  readonly steps: number;
  readonly adapter: AdapterSpec | "full";
  /** "weight/<name>", "first/<name>", "second/<name>": trainable parameters and their two moments. */
  readonly tensors: ReadonlyMap<string, Float32Array>;
}

/** Training inside the engine's thread. Work is sliced: a generator yields where something else may run. */
export interface CpuTrainer {
  readonly version: number;
  /** Checks everything before it computes; a throw leaves gradients to `discard`. */
  forwardBackward(samples: readonly Sample[], loss: LossSpec): Generator<void, LossReport>;
  update(step: OptimizerStep): UpdateReport;
  /** Drops the gradient. */
  discard(): void;
  /** A copy that later updates do not change. */
  snapshot(): PolicyWeights;
  state(): TrainerState;
}
