// The numbers of a decoder, where the kernels can reach them, and low-rank adapters on top of them. Data only.
import type { AdapterSpec } from "@hone/core";
import type { Floats } from "../kernel/memory.ts";
import type { DecoderConfig } from "./config.ts";
import type { RopeTables } from "./rope.ts";

/** One linear layer; weights are outputs x inputs, as files have them. */
export interface Linear<F extends Floats = Float32Array> {
  /** Path as transformers and PEFT name it: "model.layers.0.self_attn.q_proj". */
  readonly name: string;
  readonly inputs: number;
  readonly outputs: number;
  readonly weight: F;
  readonly bias?: F;
}

export interface DecoderLayer<F extends Floats = Float32Array> {
  readonly attentionNorm: F;
  readonly query: Linear<F>;
  readonly key: Linear<F>;
  readonly value: Linear<F>;
  readonly output: Linear<F>;
  /** Per head, where the family has them. */
  readonly queryNorm?: F;
  readonly keyNorm?: F;
  readonly mlpNorm: F;
  readonly gate: Linear<F>;
  readonly up: Linear<F>;
  readonly down: Linear<F>;
}

export interface DecoderWeights<F extends Floats = Float32Array> {
  readonly config: DecoderConfig;
  readonly rope: RopeTables<F>;
  /** [vocabulary][width] */
  readonly embedding: F;
  readonly layers: readonly DecoderLayer<F>[];
  readonly finalNorm: F;
  /** Its weight is the same array as `embedding` where they are tied. */
  readonly head: Linear<F>;
}

/** What an adapter adds to one linear layer: scale x (x a^T) b^T. */
export interface LoraPart<F extends Floats = Float32Array> {
  /** [rank][inputs] */
  readonly a: F;
  /** [outputs][rank] */
  readonly b: F;
}

export interface LoraWeights<F extends Floats = Float32Array> {
  readonly spec: AdapterSpec;
  /** alpha / rank */
  readonly scale: number;
  /** By the name of the linear layer. */
  readonly parts: ReadonlyMap<string, LoraPart<F>>;
}

/** A policy as it is sampled from: never changed once it is handed out. Adapters stay unmerged, in sampling as in training. */
export interface PolicyWeights<F extends Floats = Float32Array> {
  readonly version: number;
  readonly decoder: DecoderWeights<F>;
  readonly adapter?: LoraWeights<F>;
}
