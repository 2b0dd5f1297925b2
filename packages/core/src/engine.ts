// Engines: one contract with Tinker's meaning. Trainer calls execute in call order and may be issued without awaiting;
// a failed forwardBackward fails the update queued behind it. Whoever samples and whoever trains agree on: logprob = log softmax(z / T).
import type { CallOptions } from "./data.ts";
import type { LossSpec, LossType } from "./loss.ts";
import type { Runs } from "./runs.ts";
import type { Sample } from "./sample.ts";

export interface Engine {
  readonly info: EngineInfo;
  /** One trainer at a time: opening ends the one before. The policy it starts with is published. */
  open(spec: TrainerSpec): Promise<Trainer>;
  sampler(policy: PolicyRef): Sampler;
  pressure(): EnginePressure;
  close(): Promise<void>;
}

export interface Trainer {
  /** Adds the gradient of sum(weight x term) over all samples. Loss "none" computes logprobs only. What is not finite rejects with code "non-finite". */
  forwardBackward(samples: readonly Sample[], loss: LossSpec): Promise<LossReport>;
  /** One optimiser step on the summed gradient: policy n becomes policy n + 1. The gradient is then zero, also when it fails. */
  update(step: OptimizerStep): Promise<UpdateReport>;
  /** An immutable snapshot of the current policy; pinned samplers keep theirs, "latest" switches at a token boundary. */
  publish(): Promise<{ readonly version: number }>;
  /** Weights, optimiser and random state, atomically. Opening `from` it continues bit for bit on a deterministic engine. */
  save(name: string): Promise<CheckpointRef>;
  export(directory: string): Promise<void>;
}

export interface Sampler {
  readonly policy: PolicyRef;
  /** Tinker's `sample`: tokens in, tokens out. */
  generate(request: GenerateRequest, options: CallOptions): Promise<Generation>;
  /** logprobs[i][t] of sequences[i][t] given what precedes it; 0 at t = 0. */
  score(sequences: readonly Int32Array[], options: ScoreOptions): Promise<readonly Float32Array[]>;
}

export interface TrainerSpec {
  readonly model: string;
  readonly adapter: AdapterSpec | "full";
  readonly from?: CheckpointRef;
}
export interface AdapterSpec {
  readonly rank: number;
  readonly alpha: number;
  readonly targets: readonly string[];
  readonly seed: number;
}
export interface CheckpointRef {
  readonly checkpoint: string;
}
export type PolicyRef = { readonly version: number } | "latest" | "base" | CheckpointRef;

/** What the engine honours. Configuration it cannot honour is an error at start, never ignored. */
export interface EngineInfo {
  readonly name: string;
  readonly model: string;
  readonly contextTokens: number;
  readonly losses: readonly LossType[];
  readonly temperature: "per-token" | "one";
  readonly tuning: readonly ("lora" | "full")[];
  readonly optimizer: readonly (keyof OptimizerStep)[];
  readonly pinnedPolicies: boolean;
  readonly samplesDuringUpdate: boolean;
  readonly swapsInFlight: boolean;
  /** Sampling and training compete for the same processor. */
  readonly sharesCompute: boolean;
  readonly deterministic: boolean;
}

export interface EnginePressure {
  readonly running: number;
  readonly queued: number;
  /** Sequences it can sample at once before they queue. */
  readonly capacity: number;
}

export interface OptimizerStep {
  readonly learningRate: number;
  readonly betas: readonly [number, number];
  readonly epsilon: number;
  readonly weightDecay: number;
  /** Largest global norm of the gradient; 0 = no clipping. */
  readonly gradientClip: number;
}

export interface LossReport {
  /** sum(weight x term). */
  readonly loss: number;
  /** Per sample, as long as its tokens; 0 at position 0, and maybe at tokens of weight 0 unless the loss is "none". */
  readonly logprobs: readonly Float32Array[];
  readonly metrics: Readonly<Record<string, number>>;
}
export interface UpdateReport {
  /** The policy this update made. */
  readonly version: number;
  readonly gradientNorm: number;
  readonly metrics: Readonly<Record<string, number>>;
}

export interface GenerateRequest {
  readonly prompt: Int32Array;
  readonly count: number;
  readonly sampling: TokenSampling;
  /** Higher first. */
  readonly priority?: number;
}
/** Sampling as an engine takes it. The noise of token `position` of sequence `i` depends on (seed, i, policy version, position) alone. */
export interface TokenSampling {
  readonly maxTokens: number;
  /** 0 takes the likeliest token; logprobs are then those of temperature 1. */
  readonly temperature: number;
  readonly seed: number;
  readonly stopTokens: readonly number[];
  readonly stopStrings?: readonly string[];
  readonly topP?: number;
  readonly topK?: number;
  readonly minP?: number;
}
export interface Generation {
  readonly sequences: readonly GeneratedSequence[];
}
export interface GeneratedSequence {
  /** A stop token that ended it is included. */
  readonly ids: Int32Array;
  readonly logprobs: Float32Array;
  /** At temperature 1, from engines that have it. */
  readonly untempered?: Float32Array;
  readonly policyVersion: Runs<number>;
  readonly finish: "stop" | "length";
}
export interface ScoreOptions extends CallOptions {
  readonly temperature: number;
}
