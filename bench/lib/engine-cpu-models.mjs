// The three sizes that bench/engine-cpu measures, as config.json writes them, with the batch that a step trains on.
const llama = { architectures: ["LlamaForCausalLM"], max_position_embeddings: 512, tie_word_embeddings: true };

export const models = [
  {
    name: "4M",
    sequences: 16,
    tokens: 128,
    config: {
      ...llama,
      vocab_size: 512,
      hidden_size: 256,
      num_hidden_layers: 4,
      num_attention_heads: 4,
      num_key_value_heads: 4,
      intermediate_size: 1024,
    },
  },
  {
    name: "29M",
    sequences: 4,
    tokens: 256,
    config: {
      ...llama,
      vocab_size: 4096,
      hidden_size: 512,
      num_hidden_layers: 8,
      num_attention_heads: 8,
      num_key_value_heads: 8,
      intermediate_size: 1536,
    },
  },
  {
    name: "135M",
    sequences: 2,
    tokens: 256,
    config: {
      ...llama,
      vocab_size: 49152,
      hidden_size: 576,
      num_hidden_layers: 30,
      num_attention_heads: 9,
      num_key_value_heads: 3,
      intermediate_size: 1536,
    },
  },
];

/** Rows x inputs x outputs of the linear layers above, for a batch of 512 tokens. */
export const matmuls = [
  [512, 256, 256],
  [512, 256, 1024],
  [512, 1024, 256],
  [512, 512, 1536],
  [512, 1536, 512],
  [512, 576, 1536],
  [512, 1536, 576],
];

export const decodeSequences = 64;
export const decodePrompt = 32;
/** The first comes with the prompt and is not counted. */
export const decodeTokens = 65;
