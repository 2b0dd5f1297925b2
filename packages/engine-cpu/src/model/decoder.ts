// The decoder's forward pass, written once: training, scoring, prefill and decoding differ only in how attention sees other tokens.
import type { Floats } from "../kernel/memory.ts";
import { linear } from "./linear.ts";
import { embed, norm, rotate, swiglu } from "./operations.ts";
import { Tape, type Value } from "./tape.ts";
import type { DecoderLayer, PolicyWeights } from "./weights.ts";

/** New tokens, where the kernels can reach them. */
export interface TokenRows {
  readonly tokens: Int32Array;
  /** Place of each in its sequence. */
  readonly positions: Int32Array;
}

export type Triple<F extends Floats> = readonly [queries: Value<F>, keys: Value<F>, values: Value<F>];
export type Attend<F extends Floats> = (tape: Tape<F>, layer: number, rows: Triple<F>) => Value<F>;

export interface ForwardOptions<F extends Floats> {
  readonly attend: Attend<F>;
  /** Keep the input of each layer only, and compute the rest again when its gradient is taken. */
  readonly isRecomputing?: boolean;
}

/** The residual stream after the last layer, before the final norm. */
export function forward<F extends Floats>(
  tape: Tape<F>,
  policy: PolicyWeights<F>,
  rows: TokenRows,
  { attend, isRecomputing = false }: ForwardOptions<F>,
): Value<F> {
  const { decoder } = policy;
  let stream = embed(tape, decoder.embedding, rows.tokens, decoder.config.width);
  for (const [index, layer] of decoder.layers.entries()) {
    const body = (tape: Tape<F>, stream: Value<F>): Value<F> => {
      const attended = attentionBlock(tape, stream, { policy, layer, index, rows, attend });
      return mlpBlock(tape, attended, { policy, layer });
    };
    stream = isRecomputing && tape.isRecording ? recomputed(tape, stream, body) : body(tape, stream);
  }
  return stream;
}

interface Block<F extends Floats> {
  readonly policy: PolicyWeights<F>;
  readonly layer: DecoderLayer<F>;
}
interface AttentionBlock<F extends Floats> extends Block<F> {
  readonly index: number;
  readonly rows: TokenRows;
  readonly attend: Attend<F>;
}

function attentionBlock<F extends Floats>(tape: Tape<F>, stream: Value<F>, block: AttentionBlock<F>): Value<F> {
  const { policy, layer, index, rows, attend } = block;
  const { adapter, decoder } = policy;
  const { heads, keyHeads, headWidth, normEpsilon } = decoder.config;
  const turned = (value: Value<F>, heads: number, weight: F | undefined): Value<F> => {
    const normed = weight === undefined ? value : norm(tape, value, weight, normEpsilon);
    if (normed !== value) tape.drop(value);
    rotate(tape, normed, { heads, headWidth, rope: decoder.rope, positions: rows.positions });
    return normed;
  };
  const normed = norm(tape, stream, layer.attentionNorm, normEpsilon);
  const queries = turned(linear(tape, normed, layer.query, { adapter }), heads, layer.queryNorm);
  const keys = turned(linear(tape, normed, layer.key, { adapter }), keyHeads, layer.keyNorm);
  const values = linear(tape, normed, layer.value, { adapter });
  tape.drop(normed);
  const attended = attend(tape, index, [queries, keys, values]);
  for (const value of [queries, keys, values]) tape.drop(value);
  const out = linear(tape, attended, layer.output, { adapter, residual: stream });
  tape.drop(attended);
  return out;
}

function mlpBlock<F extends Floats>(tape: Tape<F>, stream: Value<F>, { policy, layer }: Block<F>): Value<F> {
  const { adapter, decoder } = policy;
  const normed = norm(tape, stream, layer.mlpNorm, decoder.config.normEpsilon);
  const gate = linear(tape, normed, layer.gate, { adapter });
  const up = linear(tape, normed, layer.up, { adapter });
  tape.drop(normed);
  const active = swiglu(tape, gate, up);
  for (const value of [gate, up]) tape.drop(value);
  const out = linear(tape, active, layer.down, { adapter, residual: stream });
  tape.drop(active);
  return out;
}

/** Forward without notes; when the gradient comes, forward again with them, then back. */
function recomputed<F extends Floats>(
  tape: Tape<F>,
  input: Value<F>,
  body: (tape: Tape<F>, input: Value<F>) => Value<F>,
): Value<F> {
  const first = new Tape<F>({ kernels: tape.kernels, arena: tape.arena });
  first.keep(input);
  const made = body(first, input);
  const out: Value<F> = { data: made.data, isConstant: false };
  tape.record(out, [], () => {
    const second = tape.again();
    const again = body(second, input);
    again.gradient = out.gradient!;
    delete out.gradient;
    second.backward();
  });
  return out;
}
