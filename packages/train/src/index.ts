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
export { normalise, type Normaliser } from "./sample/normalise.ts";
export { oldestVersion } from "./sample/report.ts";
export { type ScoreAnswer, type ScoreRequest, scoreRequests, withScores } from "./sample/scores.ts";
export { type RolloutSamples, type SampleSettings, toSamples, TruncatedRollouts } from "./sample/to-samples.ts";
export type { FinishedGroup, Ticket, TrainEnvironment, Verdict } from "./nouns.ts";
export type { CheckpointOptions, EvaluationHook, TrainEvent, TrainOptions, TrainResult } from "./options.ts";
export { DifficultyConfig } from "./schedule/difficulty.ts";
export { train } from "./train.ts";
export { learningRateAt, LearningRateSchedule } from "./update/learning-rate.ts";
