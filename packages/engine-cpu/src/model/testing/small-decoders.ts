// Decoders small enough to check by hand: one per family, with everything that the families differ in.
import { createRandom } from "@hone/core";
import type { Kernels } from "../../kernel/kernels.ts";
import type { Floats } from "../../kernel/memory.ts";
import { createDecoder, linearLayers } from "../assemble.ts";
import { type DecoderConfig, readDecoderConfig } from "../config.ts";
import type { DecoderWeights, LoraPart, LoraWeights } from "../weights.ts";

const shape = {
  vocab_size: 40,
  hidden_size: 16,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 20,
  max_position_embeddings: 128,
};
const files = {
  qwen3: { ...shape, architectures: ["Qwen3ForCausalLM"], head_dim: 8, tie_word_embeddings: true, rope_theta: 1e6 },
  qwen2: {
    ...shape,
    architectures: ["Qwen2ForCausalLM"],
    rope_theta: 1e4,
    use_sliding_window: false,
    sliding_window: 64,
  },
  llama: {
    ...shape,
    architectures: ["LlamaForCausalLM"],
    attention_bias: true,
    mlp_bias: true,
    rope_parameters: {
      rope_type: "llama3",
      rope_theta: 5e3,
      factor: 4,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 32,
    },
  },
};
export type SmallFamily = keyof typeof files;
export const smallFamilies = Object.keys(files) as readonly SmallFamily[];

export function smallConfig(family: SmallFamily): DecoderConfig {
  return readDecoderConfig(files[family], "config.json");
}

/** Larger than usual first weights, norms and biases included: nothing hides behind a zero or a one. */
export function smallDecoder<F extends Floats>(
  kernels: Kernels<F>,
  config: DecoderConfig,
  seed = 1,
): DecoderWeights<F> {
  return createDecoder(kernels, config, (values, { name }) => {
    const random = createRandom(`${seed}/${name}`);
    const center = name.endsWith("norm.weight") ? 1 : 0;
    // Rounded as Float32Array would: the same numbers for every kind of kernels.
    for (let at = 0; at < values.length; at++) values[at] = Math.fround(center + (random.next() - 0.5) * 0.6);
  });
}

/** On every linear layer, with a B that is not zero. */
export function smallLora<F extends Floats>(kernels: Kernels<F>, decoder: DecoderWeights<F>, rank = 3): LoraWeights<F> {
  const random = createRandom("lora");
  const filled = (length: number): F => {
    const values = kernels.memory.floats(length);
    for (let at = 0; at < length; at++) values[at] = Math.fround((random.next() - 0.5) * 0.5);
    return values;
  };
  const parts = new Map<string, LoraPart<F>>();
  for (const { name, inputs, outputs } of linearLayers(decoder)) {
    parts.set(name, { a: filled(rank * inputs), b: filled(outputs * rank) });
  }
  return { spec: { rank, alpha: 2 * rank, targets: ["all-linear"], seed: 0 }, scale: 2, parts };
}
