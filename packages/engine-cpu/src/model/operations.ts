// The operations of a decoder, forward and noted on the tape: each is one fused kernel or two, with its gradient beside it.
import type { Floats } from "../kernel/memory.ts";
import type { RopeTables } from "./rope.ts";
import type { Tape, Value } from "./tape.ts";

/** out = rows of `table` */
export function embed<F extends Floats>(tape: Tape<F>, table: F, index: Int32Array, width: number): Value<F> {
  const { rows } = tape.kernels;
  const shape = { rows: index.length, width, tableRows: table.length / width, index };
  const out = tape.value(index.length * width, tape.isFrozen(table));
  rows.gather({ ...shape, out: out.data, table });
  tape.record(out, [], () => {
    const gradient = tape.gradientOf(table);
    if (gradient !== undefined) rows.scatterAdd({ ...shape, table: gradient, input: out.gradient! });
  });
  return out;
}

/** Some rows of a value. The others get a gradient of zero. */
export function pickRows<F extends Floats>(tape: Tape<F>, input: Value<F>, index: Int32Array, width: number): Value<F> {
  const { rows } = tape.kernels;
  const shape = { rows: index.length, width, tableRows: input.data.length / width, index };
  const out = tape.value(index.length * width, input.isConstant);
  rows.gather({ ...shape, out: out.data, table: input.data });
  tape.record(out, [], () => {
    if (input.isConstant) return;
    const { gradient, accumulate } = tape.inputGradient(input);
    if (!accumulate) gradient.fill(0);
    rows.scatterAdd({ ...shape, table: gradient, input: out.gradient! });
  });
  return out;
}

/** Root mean square norm over rows of `weight`'s length: a token, or a head of it. */
export function norm<F extends Floats>(tape: Tape<F>, input: Value<F>, weight: F, epsilon: number): Value<F> {
  const { layer } = tape.kernels;
  const shape = { rows: input.data.length / weight.length, width: weight.length };
  const out = tape.value(input.data.length, input.isConstant && tape.isFrozen(weight));
  const inverse = tape.arena.take(shape.rows);
  layer.normForward({ ...shape, epsilon, out: out.data, input: input.data, weight, inverse });
  tape.record(out, [inverse], () => {
    if (out.isConstant) return;
    const weightGradient = tape.gradientOf(weight);
    const { gradient, accumulate } = tape.inputGradient(input);
    layer.normBackward({
      ...shape,
      inputGradient: gradient,
      accumulate,
      ...(weightGradient && { weightGradient }),
      outputGradient: out.gradient!,
      input: input.data,
      inverse,
      weight,
    });
  });
  return out;
}

export interface RotateOptions<F extends Floats> {
  readonly heads: number;
  readonly headWidth: number;
  readonly rope: RopeTables<F>;
  readonly positions: Int32Array;
}

/** In place: what made the value does not need it to take its gradient. */
export function rotate<F extends Floats>(tape: Tape<F>, value: Value<F>, options: RotateOptions<F>): void {
  const { heads, headWidth, rope, positions } = options;
  const shape = { rows: positions.length, heads, headWidth, ...rope, positions };
  tape.kernels.layer.rotate({ ...shape, values: value.data, direction: "forward" });
  tape.notice(() => {
    if (value.gradient !== undefined) {
      tape.kernels.layer.rotate({ ...shape, values: value.gradient, direction: "backward" });
    }
  });
}

/** gate x sigmoid(gate) x up */
export function swiglu<F extends Floats>(tape: Tape<F>, gate: Value<F>, up: Value<F>): Value<F> {
  const { layer } = tape.kernels;
  const length = gate.data.length;
  const out = tape.value(length, gate.isConstant && up.isConstant);
  layer.swigluForward({ length, out: out.data, gate: gate.data, up: up.data });
  tape.record(out, [], () => {
    layer.swigluBackward({
      length,
      gateGradient: tape.inputGradient(gate).gradient,
      upGradient: tape.inputGradient(up).gradient,
      outputGradient: out.gradient!,
      gate: gate.data,
      up: up.data,
    });
  });
  return out;
}

export interface AttentionOptions {
  readonly heads: number;
  readonly keyHeads: number;
  readonly headWidth: number;
  /** Where each sequence of the row starts, and its end. */
  readonly starts: Int32Array;
}

export function attention<F extends Floats>(
  tape: Tape<F>,
  [queries, keys, values]: readonly [Value<F>, Value<F>, Value<F>],
  { heads, keyHeads, headWidth, starts }: AttentionOptions,
): Value<F> {
  const kernels = tape.kernels.attention;
  const tokens = queries.data.length / (heads * headWidth);
  const shape = { heads, keyHeads, headWidth, scale: headWidth ** -0.5, tokens, starts };
  const rows = { queries: queries.data, keys: keys.data, values: values.data };
  const out = tape.value(queries.data.length, queries.isConstant && keys.isConstant && values.isConstant);
  const logSum = tape.arena.take(tokens * heads);
  kernels.forward({ ...shape, ...rows, out: out.data, logSum });
  tape.record(out, [logSum], () => {
    if (out.isConstant) return;
    kernels.backward({
      ...shape,
      ...rows,
      queryGradient: tape.inputGradient(queries).gradient,
      keyGradient: tape.inputGradient(keys).gradient,
      valueGradient: tape.inputGradient(values).gradient,
      outputGradient: out.gradient!,
      out: out.data,
      logSum,
    });
  });
  return out;
}
