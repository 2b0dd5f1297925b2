// A fresh model in a folder: the shapes of a config.json with random weights, the same for the same seed. What supervised training
// from nothing starts with.
import { createRandom, type Random } from "@hone/core";
import { companionFiles, writeModelFolder } from "@hone/store/weights";
import { type ParameterShape, parameterShapes } from "./assemble.ts";
import { loadDecoderConfig, readConfigFile } from "./load-model.ts";

export interface InitModelOptions {
  /** Holds config.json and the tokenizer; weights in it are not read. */
  readonly source: string;
  readonly target: string;
  readonly seed: number;
}

const deviation = 0.02;

export async function initModelFolder({ source, target, seed }: InitModelOptions): Promise<void> {
  const shape = await loadDecoderConfig(source);
  const tensors = parameterShapes(shape).map((parameter) => ({
    ...parameter,
    dtype: "F32" as const,
    data: () => randomValues(parameter, shape.layers, createRandom(`${seed}/${parameter.name}`)),
  }));
  await writeModelFolder(target, {
    config: await readConfigFile(source),
    tensors,
    files: await companionFiles(source),
  });
}

/** Norms start at 1, biases at 0; what ends a block is smaller the more blocks add up. */
export function randomValues({ name, shape }: ParameterShape, layers: number, random: Random): Float32Array {
  const values = new Float32Array(shape.reduce((product, size) => product * size, 1));
  if (name.endsWith("norm.weight")) return values.fill(1);
  if (name.endsWith(".bias")) return values;
  const isBlockEnd = /\.(o_proj|down_proj)\.weight$/.test(name);
  const scale = isBlockEnd ? deviation / Math.sqrt(2 * layers) : deviation;
  for (let at = 0; at < values.length; at += 2) {
    const [one, two] = normalPair(random);
    values[at] = one * scale;
    if (at + 1 < values.length) values[at + 1] = two * scale;
  }
  return values;
}

/** Box and Muller. */
function normalPair(random: Random): readonly [number, number] {
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  const angle = 2 * Math.PI * random.next();
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
}
