// A PEFT adapter as the start of a trainer, or to sample from: its weights, with moments of zero.
// A checkpoint that is named by a path is one; checkpoints of our own have names without one.
import { isAbsolute } from "node:path";
import type { AdapterSpec } from "@hone/core";
import { type PeftAdapter, readPeftAdapter } from "@hone/store/weights";
import { linearLayers } from "../model/assemble.ts";
import { badRequest } from "../model/check-tokens.ts";
import type { DecoderWeights } from "../model/weights.ts";
import type { TrainerState } from "./trainer.ts";

export function isAdapterFolder(checkpoint: string): boolean {
  return isAbsolute(checkpoint) || checkpoint.includes("/");
}

export async function importAdapter(
  folder: string,
  decoder: Pick<DecoderWeights, "layers" | "head">,
): Promise<TrainerState> {
  const adapter = await readPeftAdapter(folder);
  const layers = new Map(linearLayers(decoder).map((layer) => [layer.name, layer]));
  const tensors = new Map<string, Float32Array>();
  for (const [name, { a, b, inputs, outputs }] of adapter.tensors) {
    const layer = layers.get(name);
    if (layer?.inputs !== inputs || layer.outputs !== outputs) {
      throw badRequest(`${folder}: the model has no linear layer ${name} of ${inputs} to ${outputs}`);
    }
    for (const [end, values] of Object.entries({ lora_A: a, lora_B: b })) {
      tensors.set(`weight/${name}.${end}.weight`, values);
      tensors.set(`first/${name}.${end}.weight`, new Float32Array(values.length));
      tensors.set(`second/${name}.${end}.weight`, new Float32Array(values.length));
    }
  }
  return { version: 0, steps: 0, adapter: specOf(adapter, folder), tensors };
}

/** PEFT allows a rank and a scale per module; here all have one. */
function specOf({ tensors }: PeftAdapter, folder: string): AdapterSpec {
  const [first, ...others] = [...tensors.values()];
  if (first === undefined) throw badRequest(`${folder}: the adapter has no modules`);
  const { rank, scale } = first;
  if (others.some((module) => module.rank !== rank || module.scale !== scale)) {
    throw badRequest(`${folder}: its modules differ in rank or scale, which the embedded engine does not train`);
  }
  return { rank, alpha: scale * rank, targets: [...tensors.keys()], seed: 0 };
}
