// Everything other packages and people may use of training, by name.
export { AlgorithmConfig, comparesRewards, type NamedAlgorithmConfig } from "./algorithm/config.ts";
export { createAlgorithm } from "./algorithm/create.ts";
export { type AlgorithmContext, type NormaliserConfig, normaliserOf } from "./algorithm/normaliser-config.ts";
export { hasSignal, rewardsOf, type ScoredGroup } from "./algorithm/rewards.ts";
export {
  type Batch,
  byLoss,
  finishBatch,
  type FinishBatchOptions,
  type LossPart,
  makeBatch,
  type MakeBatchOptions,
  type Treatment,
} from "./sample/batch.ts";
export { type Collected, type CollectedCounts, collectSamples } from "./sample/collect.ts";
export {
  type AlgorithmStates,
  applyCredit,
  type Credited,
  creditSamples,
  type CreditOptions,
} from "./sample/credit.ts";
export { EvalEnvConfig, environmentName, PolicySampling, TrainEnvConfig } from "./config/env-config.ts";
export {
  groupsPerBatch,
  optimizerStep,
  type ResolvedEvalEnv,
  type ResolvedEvaluation,
  type ResolvedOptimizer,
  type ResolvedRun,
  type ResolvedTrainEnv,
  resolveRun,
  writeRun,
} from "./config/resolve.ts";
export { linearLayers, RunConfig } from "./config/run-config.ts";
export { type Converted, convertRun, type ConvertSource, type Relative } from "./config/convert.ts";
export { type LoadedRun, loadRunConfig, type LoadRunOptions, runConfigFor, type RunShorthand } from "./config/load.ts";
export { shellWords } from "./config/relatives/command-line.ts";
export type { Dropped } from "./config/relatives/rewrite.ts";
export { loadAlgorithm, type LoadAlgorithmOptions, openAlgorithm } from "./algorithm/from-file.ts";
export { normalise, type Normaliser } from "./sample/normalise.ts";
export { oldestVersion } from "./sample/report.ts";
export { type ScoreAnswer, type ScoreRequest, scoreRequests, withScores } from "./sample/scores.ts";
export { type RolloutSamples, type SampleSettings, toSamples, TruncatedRollouts } from "./sample/to-samples.ts";
export type { FinishedGroup, Ticket, TrainEnvironment, Verdict } from "./nouns.ts";
export type { CheckpointOptions, EvaluationHook, TrainEvent, TrainOptions, TrainResult } from "./options.ts";
export { DifficultyConfig } from "./schedule/difficulty.ts";
export type { Notice } from "./schedule/dispatch.ts";
export type { Stall } from "./schedule/stall.ts";
export { train } from "./train.ts";
export { learningRateAt, LearningRateSchedule } from "./update/learning-rate.ts";
export { replayUpdates, type ReplayOptions } from "./update/replay.ts";
export { SftConfig, type SftDataConfig } from "./sft/config.ts";
export type { SftData, SftEvaluation, SftEvent, SftOptions, SftResult } from "./sft/options.ts";
export { previewSft, type SftPreview } from "./sft/preview.ts";
export { type LoadedSft, loadSftConfig, type LoadSftOptions, type ResolvedSft, sftSettings } from "./sft/resolve.ts";
export { sft } from "./sft/sft.ts";
