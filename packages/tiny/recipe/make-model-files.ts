// Writes everything of packages/tiny/model but the weights: tokenizer.json, tokenizer_config.json, generation_config.json, config.json.
//   npx tsx packages/tiny/recipe/make-model-files.ts [folder]
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chatTemplate } from "./chat-template.ts";
import { added, byteCharacters, idOf, vocabularySize } from "./vocabulary.ts";

const contextTokens = 1024;
const byteLevel = { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false };
const endOfText = idOf("<|endoftext|>");
const endOfTurn = idOf("<|im_end|>");

const files = {
  "tokenizer.json": {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: added.map((token) => ({
      ...token,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
    })),
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: {
      type: "BPE",
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: byteCharacters(),
      merges: [],
    },
  },
  "tokenizer_config.json": {
    tokenizer_class: "PreTrainedTokenizerFast",
    model_max_length: contextTokens,
    clean_up_tokenization_spaces: false,
    eos_token: "<|im_end|>",
    pad_token: "<|endoftext|>",
    chat_template: chatTemplate,
  },
  "generation_config.json": {
    do_sample: true,
    temperature: 1,
    eos_token_id: [endOfTurn, endOfText],
    pad_token_id: endOfText,
  },
  "config.json": {
    architectures: ["Qwen3ForCausalLM"],
    model_type: "qwen3",
    vocab_size: vocabularySize,
    hidden_size: 256,
    num_hidden_layers: 4,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    head_dim: 64,
    intermediate_size: 640,
    hidden_act: "silu",
    max_position_embeddings: contextTokens,
    rms_norm_eps: 1e-6,
    rope_theta: 10_000,
    attention_bias: false,
    attention_dropout: 0,
    initializer_range: 0.02,
    tie_word_embeddings: true,
    use_sliding_window: false,
    eos_token_id: endOfTurn,
    pad_token_id: endOfText,
    torch_dtype: "float32",
  },
};

const folder = process.argv[2] ?? fileURLToPath(new URL("../model", import.meta.url));
mkdirSync(folder, { recursive: true });
for (const [name, content] of Object.entries(files)) {
  writeFileSync(join(folder, name), `${JSON.stringify(content, null, 2)}\n`);
}
