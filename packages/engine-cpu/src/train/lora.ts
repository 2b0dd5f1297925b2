// A fresh adapter: which linear layers it is put on, and its first numbers. A is random by layer name and seed, B zero, so that the
// policy starts as the model it is put on.
import { type AdapterSpec, createRandom } from "@hone/core";
import type { KernelMemory } from "../kernel/memory.ts";
import { adapterTargets } from "../model/adapter-targets.ts";
import { linearLayers } from "../model/assemble.ts";
import { badRequest } from "../model/check-tokens.ts";
import type { DecoderWeights, LoraPart, LoraWeights } from "../model/weights.ts";

export function createLora(memory: KernelMemory, decoder: DecoderWeights, spec: AdapterSpec): LoraWeights {
  const { rank, alpha, seed } = spec;
  if (!Number.isInteger(rank) || rank < 1)
    throw badRequest(`the adapter's rank is ${rank}; it is a whole number from 1`);
  if (!(alpha > 0 && Number.isFinite(alpha))) throw badRequest(`the adapter's alpha is ${alpha}; it is above 0`);
  const parts = new Map<string, LoraPart>();
  const layers = new Map(linearLayers(decoder).map((layer) => [layer.name, layer]));
  for (const name of adapterTargets([...layers.keys()], spec.targets)) {
    const { inputs, outputs } = layers.get(name)!;
    const [a, b] = [memory.floats(rank * inputs), memory.floats(outputs * rank)];
    const random = createRandom(`${seed}/${name}`);
    const bound = 1 / Math.sqrt(inputs);
    for (let at = 0; at < a.length; at++) a[at] = (2 * random.next() - 1) * bound;
    parts.set(name, { a, b });
  }
  return { spec, scale: alpha / rank, parts };
}

/** For the optimiser, checkpoints and PEFT: names as PEFT has them, without its prefix. */
export function loraParameters({
  parts,
}: LoraWeights): readonly { readonly name: string; readonly values: Float32Array }[] {
  return [...parts].flatMap(([name, { a, b }]) => [
    { name: `${name}.lora_A.weight`, values: a },
    { name: `${name}.lora_B.weight`, values: b },
  ]);
}

export function copyLora(memory: KernelMemory, lora: LoraWeights): LoraWeights {
  const copy = (values: Float32Array): Float32Array => {
    const copied = memory.floats(values.length);
    copied.set(values);
    return copied;
  };
  return { ...lora, parts: new Map([...lora.parts].map(([name, { a, b }]) => [name, { a: copy(a), b: copy(b) }])) };
}
