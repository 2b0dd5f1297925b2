// A model folder that loads in milliseconds: a Qwen3 of two layers with random weights, and a tokenizer of 64 characters.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRandom } from "@hone/core";
import { writeModelFolder } from "@hone/store/weights";
import { parameterShapes } from "../../model/assemble.ts";
import { readDecoderConfig } from "../../model/config.ts";

export const tinyVocabulary = 64;
const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,";

export interface TinyFolderOptions {
  readonly seed?: number;
  readonly layers?: number;
  readonly width?: number;
  readonly contextTokens?: number;
}

/** Writes the model into `folder`. */
async function writeTinyFolder(folder: string, options: TinyFolderOptions = {}): Promise<void> {
  const { seed = 1, layers = 2, width = 32, contextTokens = 256 } = options;
  const config = {
    architectures: ["Qwen3ForCausalLM"],
    model_type: "qwen3",
    vocab_size: tinyVocabulary,
    hidden_size: width,
    num_hidden_layers: layers,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    head_dim: 16,
    intermediate_size: 2 * width,
    max_position_embeddings: contextTokens,
    rope_theta: 1e6,
    tie_word_embeddings: true,
  };
  const tensors = parameterShapes(readDecoderConfig(config, "config.json")).map(({ name, shape }) => {
    const random = createRandom(`${seed}/${name}`);
    const length = shape.reduce((product, size) => product * size, 1);
    const center = name.endsWith("norm.weight") ? 1 : 0;
    const spread = 3 / Math.sqrt(width);
    const data = Float32Array.from({ length }, () => center + (random.next() - 0.5) * spread);
    return { name, shape, dtype: "F32" as const, data };
  });
  await writeModelFolder(folder, { config, tensors });
  await writeFile(join(folder, "tokenizer.json"), JSON.stringify(tokenizerJson()));
}

function tokenizerJson(): object {
  return {
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: { type: "Fuse" },
    model: { type: "BPE", vocab: Object.fromEntries([...characters].map((text, id) => [text, id])), merges: [] },
  };
}

/** What a token of the tiny model says. */
export function tinyText(ids: Int32Array): string {
  return Array.from(ids, (id) => characters[id] ?? "").join("");
}

export interface TinyPlaces {
  readonly model: string;
  readonly checkpoints: string;
  /** Removes both. */
  readonly remove: () => Promise<void>;
}

/** A tiny model and an empty folder for its checkpoints. */
export async function tinyPlaces(options: TinyFolderOptions = {}): Promise<TinyPlaces> {
  const folder = await mkdtemp(join(tmpdir(), "hone-engine-"));
  const model = join(folder, "model");
  await writeTinyFolder(model, options);
  return {
    model,
    checkpoints: join(folder, "checkpoints"),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
