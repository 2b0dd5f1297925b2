// A decoder put together from named arrays. Names and shapes are those of Hugging Face folders; whoever calls says where the arrays come
// from: a file, a copy, a random generator.
import type { Kernels } from "../kernel/kernels.ts";
import type { Floats } from "../kernel/memory.ts";
import type { DecoderConfig } from "./config.ts";
import { type RopeTables, ropeTables } from "./rope.ts";
import type { DecoderLayer, DecoderWeights, Linear } from "./weights.ts";

export type TakeParameter<F extends Floats> = (name: string, shape: readonly number[]) => F;

export interface ParameterShape {
  readonly name: string;
  readonly shape: readonly number[];
}

/** The layer from hidden states to logits. */
export const outputLayer = "lm_head";

function assembleDecoder<F extends Floats>(
  config: DecoderConfig,
  rope: RopeTables<F>,
  take: TakeParameter<F>,
): DecoderWeights<F> {
  const { vocabulary, width } = config;
  const embedding = take("model.embed_tokens.weight", [vocabulary, width]);
  const layers = Array.from({ length: config.layers }, (_, index) => layerOf(config, `model.layers.${index}`, take));
  const finalNorm = take("model.norm.weight", [width]);
  const weight = config.isTied ? embedding : take(`${outputLayer}.weight`, [vocabulary, width]);
  const head = { name: outputLayer, inputs: width, outputs: vocabulary, weight };
  return { config, rope, embedding, layers, finalNorm, head };
}

function layerOf<F extends Floats>(config: DecoderConfig, prefix: string, take: TakeParameter<F>): DecoderLayer<F> {
  const { width, mlpWidth, headWidth } = config;
  const [queryWidth, keyWidth] = [config.heads * headWidth, config.keyHeads * headWidth];
  const linear = (part: string, inputs: number, outputs: number, hasBias: boolean): Linear<F> => {
    const name = `${prefix}.${part}`;
    const weight = take(`${name}.weight`, [outputs, inputs]);
    return { name, inputs, outputs, weight, ...(hasBias && { bias: take(`${name}.bias`, [outputs]) }) };
  };
  return {
    attentionNorm: take(`${prefix}.input_layernorm.weight`, [width]),
    query: linear("self_attn.q_proj", width, queryWidth, config.hasInputBias),
    key: linear("self_attn.k_proj", width, keyWidth, config.hasInputBias),
    value: linear("self_attn.v_proj", width, keyWidth, config.hasInputBias),
    output: linear("self_attn.o_proj", queryWidth, width, config.hasOutputBias),
    ...(config.hasHeadNorms && {
      queryNorm: take(`${prefix}.self_attn.q_norm.weight`, [headWidth]),
      keyNorm: take(`${prefix}.self_attn.k_norm.weight`, [headWidth]),
    }),
    mlpNorm: take(`${prefix}.post_attention_layernorm.weight`, [width]),
    gate: linear("mlp.gate_proj", width, mlpWidth, config.hasMlpBias),
    up: linear("mlp.up_proj", width, mlpWidth, config.hasMlpBias),
    down: linear("mlp.down_proj", mlpWidth, width, config.hasMlpBias),
  };
}

/** Every linear layer that an adapter may be put on, in order; the output layer last. */
export function linearLayers<F extends Floats>(
  decoder: Pick<DecoderWeights<F>, "layers" | "head">,
): readonly Linear<F>[] {
  const { layers, head } = decoder;
  return [
    ...layers.flatMap(({ query, key, value, output, gate, up, down }) => [query, key, value, output, gate, up, down]),
    head,
  ];
}

const noRope: RopeTables = { contextTokens: 0, cosine: new Float32Array(), sine: new Float32Array() };

/** Names and shapes of all parameters; tied ones once. */
export function parameterShapes(config: DecoderConfig): readonly ParameterShape[] {
  const shapes: ParameterShape[] = [];
  assembleDecoder(config, noRope, (name, shape) => {
    shapes.push({ name, shape });
    return new Float32Array();
  });
  return shapes;
}

/** A parameter as a checkpoint and the optimiser see it. */
export interface NamedParameter<F extends Floats> extends ParameterShape {
  readonly values: F;
}

export function parametersOf<F extends Floats>(weights: DecoderWeights<F>): readonly NamedParameter<F>[] {
  const all = [
    weights.embedding,
    ...weights.layers.flatMap((layer) => [
      layer.attentionNorm,
      ...[layer.query, layer.key, layer.value, layer.output].flatMap(arraysOf),
      ...(layer.queryNorm === undefined ? [] : [layer.queryNorm]),
      ...(layer.keyNorm === undefined ? [] : [layer.keyNorm]),
      layer.mlpNorm,
      ...[layer.gate, layer.up, layer.down].flatMap(arraysOf),
    ]),
    weights.finalNorm,
    ...(weights.config.isTied ? [] : [weights.head.weight]),
  ];
  return parameterShapes(weights.config).map((parameter, index) => ({ ...parameter, values: all[index]! }));
}

function arraysOf<F extends Floats>({ weight, bias }: Linear<F>): F[] {
  return bias === undefined ? [weight] : [weight, bias];
}

/** Weights of its own; the tables of positions are shared. */
export function copyDecoder<F extends Floats>(
  { memory }: Pick<Kernels<F>, "memory">,
  weights: DecoderWeights<F>,
): DecoderWeights<F> {
  const byName = new Map(parametersOf(weights).map(({ name, values }) => [name, values]));
  return assembleDecoder(weights.config, weights.rope, (name) => {
    const source = byName.get(name)!;
    const copy = memory.floats(source.length);
    copy.set(source);
    return copy;
  });
}

/** For tests and fresh models: positions included. */
export function createDecoder<F extends Floats>(
  kernels: Pick<Kernels<F>, "memory">,
  config: DecoderConfig,
  fill: (values: F, parameter: ParameterShape) => void,
): DecoderWeights<F> {
  return assembleDecoder(config, ropeTables(kernels, config), (name, shape) => {
    const values = kernels.memory.floats(shape.reduce((product, size) => product * size, 1));
    fill(values, { name, shape });
    return values;
  });
}
