// A PEFT LoRA adapter from its folder, as float32: for each module, W becomes W + scale * B A.
// What PEFT would apply and this reader would not is refused, never ignored.
import { join } from "node:path";
import { isFloat } from "./dtype.ts";
import { exists } from "./folder-files.ts";
import { patternValues } from "./lora-pattern.ts";
import { adapterFile, allLinear, configFile, type LoraConfig, readLoraConfig } from "./peft-config.ts";
import { openSafetensors, type TensorReader } from "./safetensors-read.ts";
import { badWeights, quote } from "./weights-error.ts";

export interface LoraPair {
  /** [rank, inputs] */
  readonly a: Float32Array;
  /** [outputs, rank] */
  readonly b: Float32Array;
}
export interface LoraModule extends LoraPair {
  readonly rank: number;
  readonly inputs: number;
  readonly outputs: number;
  readonly alpha: number;
  /** alpha / rank, or alpha / sqrt(rank) with rank-stabilised LoRA. */
  readonly scale: number;
}
export interface PeftAdapter {
  readonly baseModel: string | undefined;
  /** What most modules have; each module has its own. */
  readonly rank: number;
  readonly alpha: number;
  /** As `writePeftAdapter` takes them. */
  readonly targets: readonly string[];
  /** By module path: "model.layers.0.self_attn.q_proj". */
  readonly tensors: ReadonlyMap<string, LoraModule>;
}

/** With PEFT's prefix or without, with the name of the adapter or without. */
const tensorName = /^(?:base_model\.model\.)?(.+)\.lora_(A|B)(?:\.default)?\.weight$/s;

export async function readPeftAdapter(folder: string): Promise<PeftAdapter> {
  for (const file of [configFile, adapterFile]) {
    if (await exists(join(folder, file))) continue;
    const hint = "Give the folder of a PEFT adapter. Weights in .bin files must be saved as safetensors first.";
    throw badWeights(folder, `there is no ${file} in it`, hint);
  }
  const config = await readLoraConfig(join(folder, configFile));
  await using file = await openSafetensors(join(folder, adapterFile));
  const tensors = await readModules(folder, file, config);
  return {
    baseModel: config.base_model_name_or_path ?? undefined,
    rank: config.r,
    alpha: config.lora_alpha,
    targets: targetsOf(config.target_modules, [...tensors.keys()]),
    tensors,
  };
}

async function readModules(folder: string, file: TensorReader, config: LoraConfig): Promise<Map<string, LoraModule>> {
  const path = join(folder, adapterFile);
  const configPath = join(folder, configFile);
  const rankOf = patternValues(configPath, config.rank_pattern ?? {}, config.r);
  const alphaOf = patternValues(configPath, config.alpha_pattern ?? {}, config.lora_alpha);
  const modules = new Map<string, LoraModule>();
  for (const [module, { A, B }] of pairsOf(path, file)) {
    const [rank = 0, inputs = 0] = shapeOf(path, file, A);
    const [outputs = 0, columns = 0] = shapeOf(path, file, B);
    if (rank !== columns || rank !== rankOf(module)) {
      const problem = `A has rank ${rank}, B has ${columns}, ${configFile} says ${rankOf(module)}`;
      throw badWeights(path, `${quote(module)}: ${problem}`);
    }
    const alpha = alphaOf(module);
    const scale = config.use_rslora === true ? alpha / Math.sqrt(rank) : alpha / rank;
    const [a, b] = [(await file.read(A)).toFloat32(), (await file.read(B)).toFloat32()];
    modules.set(module, { a, b, rank, inputs, outputs, alpha, scale });
  }
  if (modules.size === 0) throw badWeights(path, "there are no LoRA weights in it");
  return modules;
}

/** Module path to the names of its two tensors, in the order of the paths. */
function pairsOf(path: string, file: TensorReader): ReadonlyMap<string, { readonly A: string; readonly B: string }> {
  const found = new Map<string, { A?: string; B?: string }>();
  for (const { name } of file.tensors()) {
    const [, module, side] = tensorName.exec(name) ?? [];
    if (module === undefined || (side !== "A" && side !== "B")) {
      const hint =
        "Only LoRA on linear layers is supported. Merge the adapter with PEFT and use the merged model. " +
        "One on lm_head is saved without copies of the model's own weights by save_pretrained(..., save_embedding_layers=False).";
      throw badWeights(path, `tensor ${quote(name)} is neither lora_A nor lora_B of a linear layer`, hint);
    }
    const pair = found.get(module) ?? {};
    if (pair[side] !== undefined) throw badWeights(path, `${quote(module)} has lora_${side} twice`);
    found.set(module, { ...pair, [side]: name });
  }
  const pairs = new Map<string, { A: string; B: string }>();
  for (const [module, { A, B }] of [...found].sort(([left], [right]) => (left < right ? -1 : 1))) {
    if (A === undefined || B === undefined)
      throw badWeights(path, `${quote(module)} has lora_${A === undefined ? "B" : "A"} only`);
    pairs.set(module, { A, B });
  }
  return pairs;
}

function shapeOf(path: string, file: TensorReader, name: string): readonly number[] {
  const info = file.info(name);
  if (info !== undefined && info.shape.length === 2 && !info.shape.includes(0) && isFloat(info.dtype))
    return info.shape;
  throw badWeights(path, `tensor ${quote(name)} is ${info?.dtype} [${info?.shape.join(", ")}], not a matrix of floats`);
}

/** PEFT also takes an expression, or nothing for models it knows: then the modules that are there are the targets. */
function targetsOf(given: LoraConfig["target_modules"], modules: readonly string[]): readonly string[] {
  if (Array.isArray(given)) return [...given].sort();
  return given?.toLowerCase() === allLinear ? [allLinear] : modules;
}
