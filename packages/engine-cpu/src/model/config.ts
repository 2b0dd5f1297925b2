// config.json of a Hugging Face folder, as far as the decoder needs it. Three architectures and what they differ in: biases, norms per
// head, tied embeddings. Everything that would compute something else than transformers does is refused here.
import { HoneError } from "@hone/core";
import * as z from "zod";
import { readRope, type RopeConfig, RopeFields } from "./rope-config.ts";

export interface DecoderConfig {
  readonly architecture: string;
  readonly vocabulary: number;
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  /** Of keys and values; divides `heads`. */
  readonly keyHeads: number;
  readonly headWidth: number;
  readonly mlpWidth: number;
  readonly contextTokens: number;
  readonly normEpsilon: number;
  readonly rope: RopeConfig;
  readonly isTied: boolean;
  readonly hasHeadNorms: boolean;
  /** Of query, key and value. */
  readonly hasInputBias: boolean;
  /** Of the attention's output projection. */
  readonly hasOutputBias: boolean;
  readonly hasMlpBias: boolean;
}

type Traits = Pick<DecoderConfig, "hasHeadNorms" | "hasInputBias" | "hasOutputBias" | "hasMlpBias">;

const size = z.int().min(1);
const Shape = z.object({
  architectures: z.array(z.string()).optional(),
  vocab_size: size,
  hidden_size: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  num_key_value_heads: size.nullish(),
  head_dim: size.nullish(),
  intermediate_size: size,
  rms_norm_eps: z.number().positive().default(1e-6),
  hidden_act: z.string().default("silu"),
  tie_word_embeddings: z.boolean().default(false),
  attention_bias: z.boolean().default(false),
  mlp_bias: z.boolean().default(false),
  use_sliding_window: z.boolean().optional(),
  sliding_window: size.nullish(),
  quantization_config: z.unknown().optional(),
  ...RopeFields,
});
type Shape = z.output<typeof Shape>;

const architectures: Readonly<Record<string, (shape: Shape) => Traits>> = {
  LlamaForCausalLM: ({ attention_bias: bias, mlp_bias: hasMlpBias }) => ({
    hasHeadNorms: false,
    hasInputBias: bias,
    hasOutputBias: bias,
    hasMlpBias,
  }),
  Qwen2ForCausalLM: () => ({ hasHeadNorms: false, hasInputBias: true, hasOutputBias: false, hasMlpBias: false }),
  Qwen3ForCausalLM: ({ attention_bias: bias }) => ({
    hasHeadNorms: true,
    hasInputBias: bias,
    hasOutputBias: bias,
    hasMlpBias: false,
  }),
};
/** What the attention kernels can hold of one head. */
const widestHead = 256;

/** `where` names the file in errors. */
export function readDecoderConfig(json: unknown, where: string): DecoderConfig {
  const name = architectureOf(json, where);
  const parsed = Shape.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw bad(where, `${issue?.path.join(".") || "it"}: ${issue?.message ?? "not a configuration"}`);
  }
  const shape = parsed.data;
  const [heads, width] = [shape.num_attention_heads, shape.hidden_size];
  const keyHeads = shape.num_key_value_heads ?? heads;
  const headWidth = shape.head_dim ?? (name === "Qwen3ForCausalLM" ? 128 : width / heads);
  if (shape.hidden_act !== "silu") throw bad(where, `hidden_act is ${JSON.stringify(shape.hidden_act)}; silu is known`);
  if (heads % keyHeads !== 0) throw bad(where, `${heads} heads do not divide into ${keyHeads} key and value heads`);
  if (!Number.isInteger(headWidth) || headWidth % 2 !== 0 || headWidth > widestHead) {
    throw bad(where, `a head of width ${headWidth}; it must be even and at most ${widestHead}`);
  }
  if (shape.quantization_config !== undefined) {
    throw bad(where, "its weights are quantised", "Use the folder with bf16, f16 or f32 weights.");
  }
  return {
    architecture: name,
    vocabulary: shape.vocab_size,
    width,
    layers: shape.num_hidden_layers,
    heads,
    keyHeads,
    headWidth,
    mlpWidth: shape.intermediate_size,
    contextTokens: contextOf(shape),
    normEpsilon: shape.rms_norm_eps,
    rope: readRope(shape, where),
    isTied: shape.tie_word_embeddings,
    ...architectures[name]!(shape),
  };
}

function architectureOf(json: unknown, where: string): string {
  const named = (json as { readonly architectures?: readonly unknown[] } | null)?.architectures?.[0];
  const name = typeof named === "string" ? named : "";
  if (Object.hasOwn(architectures, name)) return name;
  const known = Object.keys(architectures).join(", ");
  const what = name === "" ? "it names no architecture" : `the architecture ${JSON.stringify(name)} is not known here`;
  throw bad(where, what, `The embedded engine runs ${known}.`);
}

/** Where attention looks back over a window only, nothing differs as long as sequences fit into it. */
function contextOf({
  max_position_embeddings: most,
  sliding_window: window,
  use_sliding_window: isUsed,
}: Shape): number {
  const isWindowed = isUsed === true || (isUsed === undefined && typeof window === "number");
  return isWindowed ? Math.min(most, window ?? most) : most;
}

function bad(where: string, problem: string, hint?: string): HoneError {
  return new HoneError(`${where}: ${problem}`, { code: "bad-model", ...(hint === undefined ? {} : { hint }) });
}
