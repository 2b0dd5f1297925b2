// What a training run is made of. Everything that has behaviour is handed in: the trainer knows no engine, no file format of models, no terminal.
import type { AdapterSpec, CheckpointRef, Engine, Model, OptimizerStep, Sampler, SandboxProvider } from "@hone/core";
import type { RetryPolicy } from "@hone/env";
import type { MetricRow } from "@hone/store";
import type { TrainEnvironment } from "./nouns.ts";
import type { Treatment } from "./sample/batch.ts";
import type { SampleSettings } from "./sample/to-samples.ts";
import type { DifficultyConfig } from "./schedule/difficulty.ts";
import type { Notice } from "./schedule/dispatch.ts";
import type { LearningRateSchedule } from "./update/learning-rate.ts";

export interface TrainOptions extends SampleSettings {
  readonly directory: string;
  /** Text of run.toml: the resolved configuration. */
  readonly config: string;
  /** Go on with the run in `directory`. */
  readonly resume: boolean;

  readonly engine: Engine;
  readonly model: string;
  readonly adapter: AdapterSpec | "full";
  /** A policy as a model: chat template and parsing around a sampler. */
  readonly modelOf: (sampler: Sampler) => Model;
  /** Judges, by name. */
  readonly models: (name: string) => Model;
  readonly sandboxes: SandboxProvider;
  /** Logprobs of the teacher, for algorithms that need one. */
  readonly teacher?: Sampler;

  readonly environments: readonly TrainEnvironment[];
  readonly treatmentOf: (env: string) => Treatment;
  readonly difficulty: DifficultyConfig;

  readonly maxSteps: number;
  readonly epochs?: number;
  readonly groupsPerBatch: number;
  readonly lead: number;
  readonly maxOffPolicySteps: number;
  /** What becomes of groups older than that when their batch is cut; either way they are counted. "drop" unless given. */
  readonly staleGroups?: "drop" | "keep";
  readonly seed: number;
  /** Rollouts at once, to start with; it then follows the engine. */
  readonly concurrency: number;
  readonly retry: RetryPolicy;
  /** A rollout that takes longer, waiting and scoring included, fails at the boundary where it is. An hour unless given. */
  readonly rolloutTimeoutSeconds?: number;
  /** Silence after which a run says what it waits for. A minute unless given. */
  readonly stallAfterSeconds?: number;
  /** The control of an experiment: rewards change places inside each group before credit. */
  readonly shuffleRewards?: boolean;

  readonly optimizer: OptimizerStep;
  readonly schedule: LearningRateSchedule;
  /** Tokens in one forwardBackward, at most: the gradient of a larger batch is accumulated. */
  readonly microBatchTokens?: number;
  readonly checkpoint: CheckpointOptions;
  readonly evaluation?: EvaluationHook;
  readonly onEvent?: (event: TrainEvent) => void;
  readonly now?: () => number;
  readonly signal: AbortSignal;
}

export interface CheckpointOptions {
  /** Updates between two checkpoints. */
  readonly interval: number;
  /** How many are kept. */
  readonly keep: number;
  /** May be asked for one that is gone. */
  readonly remove: (checkpoint: CheckpointRef) => Promise<void>;
}

/** Handed in, because measuring is another package's work. Rows are appended to evals.jsonl. */
export interface EvaluationHook {
  readonly interval: number;
  readonly run: (step: number, policy: Model, signal: AbortSignal) => Promise<readonly MetricRow[]>;
}

/** What a terminal or a log shows. */
export type TrainEvent =
  | { readonly type: "run-start"; readonly step: number; readonly reused: number }
  | { readonly type: "update-end"; readonly row: MetricRow }
  | { readonly type: "update-reject"; readonly step: number; readonly reason: string }
  | { readonly type: "eval-end"; readonly rows: readonly MetricRow[] }
  | Notice
  | { readonly type: "run-fail"; readonly code: string; readonly message: string }
  | { readonly type: "run-end"; readonly step: number; readonly why: "done" | "stopped" | "tasks-over" };

export interface TrainResult {
  readonly step: number;
  readonly why: "done" | "stopped" | "tasks-over";
}
