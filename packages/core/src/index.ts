// Everything other packages and people may use of the core, by name.
export type { Algorithm, Credit, CreditGroup } from "./algorithm.ts";
export { branchesOf, pathTo, samplesOf } from "./branch.ts";
export { Float32Column, fromBase64, Int32Column, toBase64 } from "./columns.ts";
export {
  type Awaitable,
  type CallOptions,
  type Data,
  type GroupId,
  type Id,
  idSchema,
  isJson,
  type Json,
  type JsonObject,
  jsonSchema,
  type RolloutId,
  type SampleId,
  type TaskId,
} from "./data.ts";
export type {
  AdapterSpec,
  CheckpointRef,
  Engine,
  EngineInfo,
  EnginePressure,
  GeneratedSequence,
  GenerateRequest,
  Generation,
  LossReport,
  OptimizerStep,
  PolicyRef,
  Sampler,
  ScoreOptions,
  TokenSampling,
  Trainer,
  TrainerSpec,
  UpdateReport,
} from "./engine.ts";
export {
  type Environment,
  type EnvironmentDefinitionLike,
  type EnvironmentInfo,
  type Harness,
  isStop,
  type Replied,
  type Resources,
  type RolloutRequest,
  type RolloutSettings,
  type ScoreRequest,
  type Session,
  type TurnFrom,
  type Watchdog,
} from "./environment.ts";
export {
  boundary,
  BoundaryError,
  HoneError,
  type HoneErrorOptions,
  ModelError,
  type ModelErrorCode,
  type ModelErrorOptions,
  type Place,
  toFailure,
} from "./errors.ts";
export { sha256, sha256Hex } from "./hash.ts";
export {
  type CustomLoss,
  type DppoLoss,
  forwardBackwardCustom,
  type LossSpec,
  lossTerm,
  type LossType,
} from "./loss.ts";
export {
  type AssistantMessage,
  type Content,
  type ContentPart,
  Message,
  type SystemMessage,
  textOf,
  type ToolCall,
  type ToolMessage,
  type UserMessage,
} from "./message.ts";
export {
  type Completion,
  type CompletionTokens,
  Finish,
  type Model,
  type ModelRequest,
  type ModelSession,
  Sampling,
  type SeenTokens,
  type ToolSpec,
  Usage,
} from "./model.ts";
export { pack, type PackedColumns, packedColumns, type PackedPart, type PackedRow, type PackOptions } from "./pack.ts";
export { createRandom, type Random, seedFrom } from "./random.ts";
export {
  type AgentResult,
  type Boundary,
  type Call,
  type Failure,
  type LimitName,
  type Limits,
  type MessageNode,
  type NodeTokens,
  type RewardValue,
  Rollout,
  type RolloutIdentity,
  rolloutSchema,
  type RolloutTiming,
  type Stop,
} from "./rollout.ts";
export { concatRuns, expandRuns, type Runs, runsLength, runsOf, runsSchema } from "./runs.ts";
export { columnLengths, type LossComponent, Sample } from "./sample.ts";
export {
  type ExecOptions,
  type ExecResult,
  type JobOutput,
  type Sandbox,
  type SandboxJob,
  type SandboxLease,
  type SandboxProvider,
  SandboxSpec,
  type StartOptions,
} from "./sandbox.ts";
export { canonicalJson, isHeldOut, type Split, Task, taskHash, type Taskset } from "./task.ts";
