// A LoRA adapter folded into the weights it was trained on: W + scale * B A. Sums are kept in float64 and rounded once.
import { HoneError, type JsonObject } from "@hone/core";
import type { PeftAdapter } from "./peft-read.ts";
import type { TensorReader } from "./safetensors-read.ts";
import type { NamedTensorSource } from "./safetensors-write.ts";
import { quote } from "./weights-error.ts";

/** weight [outputs, inputs], a [rank, inputs], b [outputs, rank]. The result is new. */
export function mergeLora(weight: Float32Array, a: Float32Array, b: Float32Array, scale: number): Float32Array {
  // inputs * outputs, rank * inputs and outputs * rank leave one rank.
  const rank = Math.sqrt((a.length * b.length) / weight.length);
  const [inputs, outputs] = [a.length / rank, b.length / rank];
  if (![rank, inputs, outputs].every((size) => Number.isSafeInteger(size) && size > 0)) {
    throw new HoneError(`${weight.length}, ${a.length} and ${b.length} values are no weight with a LoRA pair`, {
      code: "bad-argument",
      hint: "The weight is [outputs, inputs], A is [rank, inputs], B is [outputs, rank].",
    });
  }
  const merged = new Float32Array(weight.length);
  const change = new Float64Array(inputs);
  for (let output = 0; output < outputs; output++) {
    change.fill(0);
    for (let row = 0; row < rank; row++) {
      const factor = scale * (b[output * rank + row] as number);
      for (let input = 0; input < inputs; input++) {
        change[input] = (change[input] as number) + factor * (a[row * inputs + input] as number);
      }
    }
    const start = output * inputs;
    for (let input = 0; input < inputs; input++) {
      merged[start + input] = (weight[start + input] as number) + (change[input] as number);
    }
  }
  return merged;
}

export interface MergedModel {
  readonly config: JsonObject;
  readonly tensors: readonly NamedTensorSource[];
}

const head = "lm_head.weight";
const embedding = "model.embed_tokens.weight";

/** `model` with the adapter merged, for `writeModelFolder`: read and merged one at a time, stored as they were. An output layer that was tied
    to the embedding and has an adapter becomes one of its own. */
export function mergedModel(model: TensorReader, config: JsonObject, adapter: PeftAdapter): MergedModel {
  const modules = new Map([...adapter.tensors].map(([module, pair]) => [`${module}.weight`, pair]));
  const isUntied = modules.has(head) && (config["tie_word_embeddings"] === true || model.info(head) === undefined);
  const sourceOf = (name: string): string => (name === head && isUntied ? embedding : name);
  for (const [name, { outputs, inputs }] of modules) {
    const shape = model.info(sourceOf(name))?.shape;
    if (shape?.length === 2 && shape[0] === outputs && shape[1] === inputs) continue;
    const found = shape === undefined ? "is not in the model" : `is [${shape.join(", ")}] in the model`;
    throw new HoneError(`the adapter changes ${quote(name)} [${outputs}, ${inputs}], which ${found}`, {
      code: "bad-adapter",
      hint: "Use the model that the adapter was trained on.",
    });
  }
  const kept = model.tensors().filter(({ name }) => !(isUntied && name === head));
  const all = isUntied ? [...kept, { ...model.info(embedding)!, name: head }] : kept;
  const tensors = all.map(({ name, dtype, shape }) => {
    const pair = modules.get(name);
    const data =
      pair === undefined
        ? async () => (await model.read(name)).bytes
        : async () => mergeLora((await model.read(sourceOf(name))).toFloat32(), pair.a, pair.b, pair.scale);
    return { name, dtype, shape, data };
  });
  return { config: isUntied ? { ...config, tie_word_embeddings: false } : config, tensors };
}
