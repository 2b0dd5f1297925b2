// The command `hone` as functions: what the binary does, for programs, notebooks and tests.
export type { EngineRequest, OpenEngine } from "./engines/open-engine.ts";
export { evaluate, type EvaluateConfig, type EvaluateOptions } from "./evaluation/evaluate.ts";
export type { Io, Output } from "./io.ts";
export { main } from "./main.ts";
export type { ModelOptions } from "./model/find-model.ts";
export { replay, type Replayed, type ReplayOptions } from "./run/replay.ts";
export type { TrainOutcome } from "./training/run-training.ts";
export { train, type TrainConfig, type TrainFunctionOptions as TrainOptions } from "./training/train.ts";
