// The trainer of the embedded engine: samples to gradients row by row, gradients to a step. Full training changes weights of its own;
// with an adapter the model's stay as they are and are shared with whoever else uses them.
import { type AdapterSpec, columnLengths, type LossReport, type LossSpec, pack, type Sample } from "@hone/core";
import type { Kernels } from "../kernel/kernels.ts";
import { Arena } from "../model/arena.ts";
import { copyDecoder, parametersOf } from "../model/assemble.ts";
import { badRequest, checkTokens } from "../model/check-tokens.ts";
import type { DecoderConfig } from "../model/config.ts";
import { IntSlots } from "../model/slots.ts";
import type { DecoderWeights, PolicyWeights } from "../model/weights.ts";
import { createLora, loraParameters } from "./lora.ts";
import { TrainedParameters } from "./parameters.ts";
import { rowGradient } from "./row-gradient.ts";
import type { CpuTrainer, TrainerState } from "./trainer.ts";

export interface CreateTrainerOptions {
  readonly kernels: Kernels;
  readonly base: DecoderWeights;
  readonly adapter: AdapterSpec | "full";
  readonly from?: TrainerState;
  /** Tokens that are computed at once, unless one sample is longer. */
  readonly rowTokens: number;
  readonly isRecomputing: boolean;
  /** Full training changes `base` itself instead of a copy: half the memory for weights, and nobody else may use it. */
  readonly isInPlace?: boolean;
}

export function createTrainer(options: CreateTrainerOptions): CpuTrainer {
  const { kernels, base, adapter, from, rowTokens, isRecomputing, isInPlace = false } = options;
  const isFull = adapter === "full";
  const decoder = isFull && !isInPlace ? copyDecoder(kernels, base) : base;
  const lora = isFull ? undefined : createLora(kernels.memory, base, adapter);
  const trainable = lora === undefined ? parametersOf(decoder) : loraParameters(lora);
  const parameters = new TrainedParameters(kernels, trainable);
  if (from !== undefined) {
    checkSame(from.adapter, adapter);
    parameters.restore(from.tensors);
  }
  const arena = new Arena(kernels.memory);
  const slots = new IntSlots<"tokens" | "positions" | "starts" | "rows" | "targets">(kernels.memory);
  let { version, steps } = from ?? { version: 0, steps: 0 };
  const policy = (): PolicyWeights => ({ version, decoder, ...(lora && { adapter: lora }) });

  function* forwardBackward(samples: readonly Sample[], loss: LossSpec): Generator<void, LossReport> {
    if (samples.length === 0) throw badRequest("forwardBackward got no samples");
    for (const sample of samples) checkSample(sample, decoder.config);
    const longest = samples.reduce((most, { tokens }) => Math.max(most, tokens.length), 1);
    const work = { kernels, arena, slots, policy: policy(), gradients: parameters.gradients, isRecomputing };
    const logprobs = samples.map(({ tokens }) => new Float32Array(tokens.length));
    let [total, trained] = [0, 0];
    for (const row of pack(samples, { rowTokens: Math.max(rowTokens, longest) })) {
      const result = rowGradient(work, samples, row, loss);
      total += result.loss;
      trained += result.tokens;
      for (const { sample, start, length } of row) {
        logprobs[sample]!.set(result.logprobs.subarray(start, start + length));
      }
      yield;
    }
    return { loss: total, logprobs, metrics: { tokens: trained } };
  }

  return {
    get policy() {
      return policy();
    },
    forwardBackward,
    update: (step) => {
      const gradientNorm = parameters.update(step, steps + 1);
      steps++;
      version++;
      return { version, gradientNorm, metrics: {} };
    },
    discard: () => parameters.discard(),
    release: () => {
      parameters.release();
      arena.trim();
      slots.release();
      if (decoder !== base || lora !== undefined) for (const { values } of trainable) kernels.memory.release(values);
    },
    state: () => ({ version, steps, adapter, tensors: parameters.tensors() }),
  };
}

function checkSample(sample: Sample, config: DecoderConfig): void {
  const { tokens, weight } = sample;
  for (const [name, length] of columnLengths(sample)) {
    if (length === tokens.length) continue;
    throw badRequest(`sample ${sample.id}: ${name} has length ${length}, and there are ${tokens.length} tokens`);
  }
  if (!weight.every((value) => Number.isFinite(value))) {
    throw badRequest(`sample ${sample.id} has a weight that is not a finite number`);
  }
  checkTokens(tokens, config, `sample ${sample.id}`);
}

function checkSame(saved: AdapterSpec | "full", wanted: AdapterSpec | "full"): void {
  const shape = (adapter: AdapterSpec | "full"): string =>
    adapter === "full" ? "full training" : `an adapter of rank ${adapter.rank}, alpha ${adapter.alpha}`;
  if (shape(saved) !== shape(wanted)) throw badRequest(`the checkpoint is of ${shape(saved)}, not of ${shape(wanted)}`);
}
