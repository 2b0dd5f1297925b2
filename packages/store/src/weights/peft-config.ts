// adapter_config.json of PEFT's LoRA: what is written, what is read, and what is refused because ignoring it would change the model.
import type { JsonObject } from "@hone/core";
import * as z from "zod";
import { readJsonObject } from "./folder-files.ts";
import { badWeights } from "./weights-error.ts";

export const configFile = "adapter_config.json";
export const adapterFile = "adapter_model.safetensors";
export const allLinear = "all-linear";
const mostConfigBytes = 2 ** 20;

const Pattern = z.record(z.string(), z.number()).nullish();
const LoraConfig = z.object({
  r: z.int().positive(),
  lora_alpha: z.number(),
  base_model_name_or_path: z.string().nullish(),
  target_modules: z.union([z.string(), z.array(z.string())]).nullish(),
  rank_pattern: Pattern,
  alpha_pattern: Pattern,
  use_rslora: z.boolean().nullish(),
});
export type LoraConfig = z.infer<typeof LoraConfig>;

/** Fields that make something other than W + scale * B A, with the name of it. */
const refused: ReadonlyMap<string, string> = new Map([
  ["use_dora", "DoRA"],
  ["lora_bias", "a bias in LoRA layers"],
  ["modules_to_save", "modules that were trained in full"],
  ["trainable_token_indices", "trained token embeddings"],
  ["target_parameters", "LoRA on bare parameters"],
  ["layer_replication", "replicated layers"],
  ["fan_in_fan_out", "transposed weights"],
  ["alora_invocation_tokens", "activated LoRA"],
  ["use_qalora", "QALoRA"],
  ["use_bdlora", "block-diagonal LoRA"],
  ["arrow_config", "Arrow routing"],
  ["kasa_config", "KaSA"],
  ["monteclora_config", "MonteCLoRA"],
  ["megatron_config", "Megatron layers"],
]);
/** Other ways to start training change the base weights too, and the adapter fits only those. */
const harmlessStarts: readonly unknown[] = [undefined, null, true, false, "gaussian", "eva", "orthogonal"];

export async function readLoraConfig(path: string): Promise<LoraConfig> {
  const fields = await readJsonObject(path, mostConfigBytes);
  if (fields["peft_type"] !== "LORA") {
    throw badWeights(path, `peft_type is ${JSON.stringify(fields["peft_type"])}`, "Only LORA adapters can be used.");
  }
  for (const [field, meaning] of refused) {
    if (!isUnset(fields[field])) throw unsupported(path, meaning, field);
  }
  if (!isUnset(fields["bias"]) && fields["bias"] !== "none") throw unsupported(path, "trained biases", "bias");
  if (!harmlessStarts.includes(fields["init_lora_weights"])) {
    throw unsupported(path, "a start that changes the base weights", "init_lora_weights");
  }
  const { success, data, error } = LoraConfig.safeParse(fields);
  if (!success) throw badWeights(path, z.prettifyError(error), "It is not a LoRA configuration as PEFT writes it.");
  return data;
}

function unsupported(path: string, meaning: string, field: string) {
  const hint = "Merge the adapter into its model with PEFT (merge_and_unload) and use the merged model.";
  return badWeights(path, `the adapter has ${meaning} (${field}), which is not supported`, hint);
}

function isUnset(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === false ||
    (typeof value === "object" && Object.keys(value).length === 0)
  );
}

export interface WrittenLoraConfig {
  readonly baseModel: string;
  readonly rank: number;
  readonly alpha: number;
  readonly targetModules: readonly string[];
}

/** The fields of PEFT 0.10, which every later version reads; keys sorted, as PEFT sorts them. */
export function loraConfigText({ baseModel, rank, alpha, targetModules }: WrittenLoraConfig): string {
  const fields: JsonObject = {
    alpha_pattern: {},
    auto_mapping: null,
    base_model_name_or_path: baseModel,
    bias: "none",
    fan_in_fan_out: false,
    inference_mode: true,
    init_lora_weights: true,
    layer_replication: null,
    layers_pattern: null,
    layers_to_transform: null,
    loftq_config: {},
    lora_alpha: alpha,
    lora_dropout: 0,
    megatron_config: null,
    megatron_core: "megatron.core",
    modules_to_save: null,
    peft_type: "LORA",
    r: rank,
    rank_pattern: {},
    revision: null,
    target_modules: [...targetModules],
    task_type: "CAUSAL_LM",
    use_dora: false,
    use_rslora: false,
  };
  return `${JSON.stringify(fields, null, 2)}\n`;
}
