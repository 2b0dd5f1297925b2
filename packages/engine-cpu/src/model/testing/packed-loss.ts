// A number that depends on every parameter of a small decoder, and its gradient: two sequences in one row, a slope per token.
import type { Kernels } from "../../kernel/kernels.ts";
import type { Floats } from "../../kernel/memory.ts";
import { Arena } from "../arena.ts";
import { packedLogprobs, type PackedSequences, targetsOf } from "../packed.ts";
import { IntSlots } from "../slots.ts";
import { type ParameterGradients, Tape } from "../tape.ts";
import type { PolicyWeights } from "../weights.ts";

const [first, second] = [
  [3, 17, 5, 22, 9, 31, 4],
  [8, 8, 39, 0, 12],
];
export const sequences: readonly Int32Array[] = [Int32Array.from(first), Int32Array.from(second)];
export const packed: PackedSequences = {
  tokens: Int32Array.from([...first, ...second]),
  positions: Int32Array.from([...first.keys(), ...second.keys()]),
  starts: Int32Array.from([0, first.length]),
};
const targets = targetsOf(packed, (at) => 0.7 + (at % 3) * 0.3);
const slopes = Float32Array.from(targets.at, (at) => ((at * 7) % 5) - 1.5);

export interface PackedLoss {
  readonly loss: number;
  readonly logprobs: Float64Array;
}

export function packedLoss<F extends Floats>(
  kernels: Kernels<F>,
  policy: PolicyWeights<F>,
  options: { readonly gradients?: ParameterGradients<F>; readonly isRecomputing?: boolean } = {},
): PackedLoss {
  const { gradients, isRecomputing = false } = options;
  const tape = new Tape({ kernels, arena: new Arena(kernels.memory), ...(gradients && { gradients }) });
  const slots = new IntSlots<"tokens" | "positions" | "starts" | "rows" | "targets">(kernels.memory);
  const logprobs = packedLogprobs(tape, policy, packed, targets, { slots, isRecomputing });
  const values = Float64Array.from(logprobs.values as ArrayLike<number>);
  if (gradients === undefined) logprobs.release();
  else logprobs.backward(slopes);
  return { loss: values.reduce((sum, value, index) => sum + value * slopes[index]!, 0), logprobs: values };
}
