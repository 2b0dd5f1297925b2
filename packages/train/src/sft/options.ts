// What a run of supervised fine-tuning is made of. Everything that has behaviour is handed in: this package knows no engine and no terminal.
import type { AdapterSpec, Engine, OptimizerStep } from "@hone/core";
import type { MetricRow } from "@hone/store";
import type { Renderer } from "@hone/tokens";
import type { CheckpointOptions } from "../options.ts";
import type { LearningRateSchedule } from "../update/learning-rate.ts";
import type { BatchSize } from "./batches.ts";
import type { TooLong } from "./fit.ts";
import type { RolloutFilter } from "./rollout-choice.ts";
import type { TrainOn } from "./tokenise.ts";

export interface SftOptions {
  readonly directory: string;
  /** Text of run.toml: the resolved configuration. */
  readonly config: string;
  /** Go on with the run in `directory`. */
  readonly resume: boolean;
  /** Where paths of data start. */
  readonly cwd: string;

  readonly engine: Engine;
  readonly model: string;
  readonly adapter: AdapterSpec | "full";
  readonly renderer: Renderer;

  readonly data: readonly SftData[];
  readonly seed: number;
  readonly seqLen: number;
  readonly tooLong: TooLong;
  readonly trainOn: TrainOn;

  /** One of the two. */
  readonly maxSteps?: number;
  readonly epochs?: number;
  readonly batch: BatchSize;
  /** Tokens in one call of forwardBackward, at most: gradients of the parts add up. */
  readonly partTokens: number;
  /** For conversations that were rendered already. */
  readonly cacheBytes: number;

  readonly optimizer: OptimizerStep;
  readonly schedule: LearningRateSchedule;
  readonly evaluation: SftEvaluation;
  readonly checkpoint: CheckpointOptions;
  readonly onEvent?: (event: SftEvent) => void;
  readonly now?: () => number;
  readonly signal: AbortSignal;
}

/** One [[data]]: files, or saved rollouts. */
export type SftData = FileData | RolloutData;
export interface FileData {
  /** Files, or patterns with * ? and **. */
  readonly paths: readonly string[];
  readonly weight?: number;
}
export interface RolloutData extends RolloutFilter {
  /** A run directory, or the folder of an evaluation. */
  readonly directory: string;
  readonly weight?: number;
  /** Render from the messages also where ids were saved. */
  readonly isRendered?: boolean;
}

export interface SftEvaluation {
  /** Updates between two measurements; also before the first and after the last. */
  readonly interval: number;
  /** Of the data, by hash. */
  readonly fraction: number;
  /** Files of their own. */
  readonly paths: readonly string[];
  readonly maxConversations: number;
}

/** What a terminal or a log shows. */
export type SftEvent =
  | {
      readonly type: "run-start";
      readonly step: number;
      readonly conversations: number;
      readonly heldOut: number;
    }
  /** `steps`: of the whole run; an estimate where it ends with the data. */
  | { readonly type: "update-end"; readonly row: MetricRow; readonly steps: number }
  | { readonly type: "update-reject"; readonly step: number; readonly reason: string }
  | { readonly type: "eval-end"; readonly row: MetricRow }
  | { readonly type: "run-end"; readonly result: SftResult };

export interface SftResult {
  readonly step: number;
  readonly why: "done" | "stopped";
  /** Mean loss per trained token before and after, on what was held out, else on the first and the last batch. */
  readonly loss?: { readonly of: "held-out" | "batches"; readonly before: number; readonly after: number };
  /** Over the whole run. */
  readonly dropped: number;
  readonly cut: number;
  /** The folder of the adapter or the model; absent when no update was made. */
  readonly exported?: string;
}
