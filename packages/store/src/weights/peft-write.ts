// A LoRA adapter written as PEFT writes it, for transformers, vLLM and everyone who loads PEFT folders.
import { HoneError } from "@hone/core";
import { writeSynced } from "../atomic.ts";
import type { FloatDtype } from "./dtype.ts";
import { adapterFile, allLinear, configFile, loraConfigText } from "./peft-config.ts";
import type { LoraPair } from "./peft-read.ts";
import { type NamedTensorSource, planTensors, writeNewSafetensors } from "./safetensors-write.ts";
import { replaceFiles } from "./staged-files.ts";
import { quote } from "./weights-error.ts";

export interface WritePeftAdapterOptions {
  /** The name or folder of the model it belongs to. */
  readonly baseModel: string;
  readonly rank: number;
  readonly alpha: number;
  /** Ends of module paths ("q_proj"), or "all-linear". */
  readonly targets: readonly string[];
  /** By module path: "model.layers.0.self_attn.q_proj". */
  readonly tensors: Readonly<Record<string, LoraPair>> | ReadonlyMap<string, LoraPair>;
  /** F32 unless said. */
  readonly dtype?: FloatDtype;
}

export async function writePeftAdapter(folder: string, options: WritePeftAdapterOptions): Promise<void> {
  const { baseModel, rank, alpha, targets, tensors, dtype = "F32" } = options;
  if (!Number.isSafeInteger(rank) || rank < 1) throw badAdapter(`rank ${rank} is not a whole number from 1`);
  if (!Number.isFinite(alpha)) throw badAdapter(`alpha ${alpha} is not a number`);
  const pairs = new Map(tensors instanceof Map ? tensors : Object.entries(tensors));
  const modules = [...pairs.keys()];
  if (modules.length === 0) throw badAdapter("there is no module to write");
  // PEFT itself replaces "all-linear" by names when it saves: not every reader knows the word.
  const targetModules = targets.includes(allLinear) ? lastNames(modules) : targets;
  checkTargets(modules, targetModules);
  const sources = [...pairs].flatMap(([module, pair]) => sourcesOf(module, pair, rank));
  const planned = await planTensors(sources, dtype);
  await replaceFiles(folder, {
    last: [configFile],
    isStale: () => false,
    async write(stage) {
      await writeNewSafetensors(stage(adapterFile), planned, { format: "pt" });
      await writeSynced(stage(configFile), loraConfigText({ baseModel, rank, alpha, targetModules }));
    },
  });
}

/** Weights of a module that no target matches would be dropped by PEFT without a word. */
function checkTargets(modules: readonly string[], targets: readonly string[]): void {
  for (const module of modules) {
    if (targets.some((target) => module === target || module.endsWith(`.${target}`))) continue;
    throw badAdapter(`the module ${quote(module)} is none of the targets ${targets.join(", ")}`);
  }
}

function sourcesOf(module: string, { a, b }: LoraPair, rank: number): readonly NamedTensorSource[] {
  const [inputs, outputs] = [a.length / rank, b.length / rank];
  if (!Number.isSafeInteger(inputs) || !Number.isSafeInteger(outputs) || inputs === 0 || outputs === 0) {
    throw badAdapter(`${quote(module)}: ${a.length} and ${b.length} values are not of rank ${rank}`);
  }
  const prefix = `base_model.model.${module}`;
  return [
    { name: `${prefix}.lora_A.weight`, dtype: "F32", shape: [rank, inputs], data: a },
    { name: `${prefix}.lora_B.weight`, dtype: "F32", shape: [outputs, rank], data: b },
  ];
}

function badAdapter(problem: string): HoneError {
  return new HoneError(`cannot write the adapter: ${problem}`, {
    code: "bad-adapter",
    hint: "A is [rank, inputs] and B is [outputs, rank] of each module; targets are ends of module paths.",
  });
}

/** "model.layers.0.self_attn.q_proj" is targeted as "q_proj". */
function lastNames(modules: readonly string[]): readonly string[] {
  return [...new Set(modules.map((module) => module.slice(module.lastIndexOf(".") + 1)))].sort();
}
