// A linear layer on the tape, with a low-rank adapter where the policy has one, and on top of the residual stream where it ends a block.
// Adapters are never merged: x W^T + bias + scale (x A^T) B^T, in this order, in sampling as in training.
import type { Floats } from "../kernel/memory.ts";
import type { Tape, Value } from "./tape.ts";
import type { Linear, LoraPart, LoraWeights } from "./weights.ts";

export interface LinearOptions<F extends Floats> {
  readonly adapter: LoraWeights<F> | undefined;
  /** The result is added to it and takes its place. */
  readonly residual?: Value<F>;
}

export function linear<F extends Floats>(
  tape: Tape<F>,
  input: Value<F>,
  layer: Linear<F>,
  { adapter, residual }: LinearOptions<F>,
): Value<F> {
  const { inputs, outputs, weight, bias } = layer;
  const part = adapter?.parts.get(layer.name);
  const rows = input.data.length / inputs;
  const isConstant =
    input.isConstant && (residual?.isConstant ?? true) && tape.isFrozen(weight, bias, part?.a, part?.b);
  const out = outputOf(tape, rows * outputs, isConstant, residual);
  const shape = { rows, inputs, outputs };
  const accumulate = residual !== undefined;
  const lowRank = part && { input, part, inputs, scale: adapter!.scale };
  const low = lowRank && lowRankInput(tape, lowRank);
  tape.kernels.linear.forward({
    ...shape,
    out: out.data,
    input: input.data,
    weight,
    ...(bias && { bias }),
    accumulate,
    ...(low && { low: { ...low, weight: part.b } }),
  });
  tape.record(out, low === undefined ? [] : [low.narrow], () => {
    if (out.isConstant) return;
    const outputGradient = out.gradient!;
    const { linear: kernels } = tape.kernels;
    const weightGradient = tape.gradientOf(weight);
    if (weightGradient !== undefined) {
      kernels.backwardWeight({ ...shape, weightGradient, outputGradient, input: input.data });
    }
    const biasGradient = bias && tape.gradientOf(bias);
    if (biasGradient !== undefined) kernels.backwardBias({ rows, outputs, biasGradient, outputGradient });
    const lowGradient = low && lowRankOutput(tape, part, { rows, outputs, outputGradient, narrow: low.narrow });
    if (lowGradient !== undefined) lowRankBackward(tape, lowRank!, lowGradient.narrow);
    if (!input.isConstant) {
      const { gradient, accumulate } = tape.inputGradient(input);
      const low = lowGradient && { low: { ...lowGradient, weight: part.a } };
      kernels.backwardInput({ ...shape, inputGradient: gradient, outputGradient, weight, accumulate, ...low });
    }
    if (lowGradient !== undefined) tape.arena.give(lowGradient.narrow);
    if (residual !== undefined && !residual.isConstant) passOn(tape, out, residual);
  });
  return out;
}

/** With a residual, its rows: the same memory where nobody needs them any more, else a copy. */
function outputOf<F extends Floats>(
  tape: Tape<F>,
  length: number,
  isConstant: boolean,
  residual: Value<F> | undefined,
): Value<F> {
  if (residual === undefined) return tape.value(length, isConstant);
  if (tape.isSpare(residual)) return { data: residual.data, isConstant };
  const out = tape.value(length, isConstant);
  out.data.set(residual.data);
  return out;
}

/** The residual stream has one gradient: it moves on to the block before, on top of what that one has. */
function passOn<F extends Floats>(tape: Tape<F>, out: Value<F>, residual: Value<F>): void {
  const gradient = out.gradient!;
  if (residual.gradient === undefined) {
    residual.gradient = gradient;
    delete out.gradient;
  } else tape.kernels.optimizer.addScaled({ out: residual.gradient, input: gradient, factor: 1 });
}

/** An adapter's part beside a layer of so many inputs. */
interface LowRank<F extends Floats> {
  readonly input: Value<F>;
  readonly part: LoraPart<F>;
  readonly inputs: number;
  readonly scale: number;
}
interface Narrow<F extends Floats> {
  readonly rank: number;
  readonly narrow: F;
}

/** scale x A^T: what B takes forward, and what its gradient needs. */
export function lowRankInput<F extends Floats>(tape: Tape<F>, { input, part, inputs, scale }: LowRank<F>): Narrow<F> {
  const { linear: kernels, optimizer } = tape.kernels;
  const rows = input.data.length / inputs;
  const rank = part.a.length / inputs;
  const narrow = tape.arena.take(rows * rank);
  kernels.forward({ rows, inputs, outputs: rank, out: narrow, input: input.data, weight: part.a });
  optimizer.scale({ values: narrow, factor: scale });
  return { rank, narrow };
}

interface LowRankOutput<F extends Floats> {
  readonly rows: number;
  readonly outputs: number;
  readonly outputGradient: F;
  readonly narrow: F;
}

/** The gradient of B, and that of `narrow`. Whoever calls gives its array back. */
function lowRankOutput<F extends Floats>(tape: Tape<F>, { b }: LoraPart<F>, output: LowRankOutput<F>): Narrow<F> {
  const { linear: kernels } = tape.kernels;
  const { rows, outputs, outputGradient, narrow } = output;
  const rank = b.length / outputs;
  const bGradient = tape.gradientOf(b);
  if (bGradient !== undefined) {
    kernels.backwardWeight({ rows, inputs: rank, outputs, weightGradient: bGradient, outputGradient, input: narrow });
  }
  const gradient = tape.arena.take(rows * rank);
  kernels.backwardInput({ rows, inputs: rank, outputs, inputGradient: gradient, outputGradient, weight: b });
  return { rank, narrow: gradient };
}

/** The gradient of `narrow` becomes that of x A^T, which A takes back to x; the gradient of A. */
export function lowRankBackward<F extends Floats>(tape: Tape<F>, low: LowRank<F>, narrowGradient: F): void {
  const { linear: kernels, optimizer } = tape.kernels;
  const { input, part, inputs, scale } = low;
  const [rows, rank] = [input.data.length / inputs, part.a.length / inputs];
  optimizer.scale({ values: narrowGradient, factor: scale });
  const aGradient = tape.gradientOf(part.a);
  if (aGradient === undefined) return;
  const back = { rows, inputs, outputs: rank, weightGradient: aGradient };
  kernels.backwardWeight({ ...back, outputGradient: narrowGradient, input: input.data });
}
