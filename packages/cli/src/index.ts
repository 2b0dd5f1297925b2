// The command `hone` as functions: what the binary does, for programs, notebooks and tests.
export { evaluate, type EvaluateConfig, type EvaluateOptions } from "./evaluation/evaluate.ts";
export type { Io, Output } from "./io.ts";
export { main } from "./main.ts";
export type { ModelOptions } from "./model/find-model.ts";
