// What the toy engine trains: the whole table, or a low-rank change of it. The optimiser sees a flat column of parameters either way.
// The toy has one matrix, so whatever `targets` names is that matrix.
import type { AdapterSpec, OptimizerStep } from "../engine.ts";
import { createRandom } from "../random.ts";
import type { ToyPolicy } from "./toy-policy.ts";

export interface ToyTuning {
  initial(): Float64Array;
  /** The table that these parameters stand for. */
  logits(parameters: Float64Array): Float64Array;
  /** From the gradient by the table to the gradient by the parameters. */
  gradient(parameters: Float64Array, byLogits: Float64Array): Float64Array;
}

export function toyTuning(base: ToyPolicy, adapter: AdapterSpec | "full"): ToyTuning {
  if (adapter === "full") {
    return { initial: () => base.logits.slice(), logits: (table) => table, gradient: (_table, byLogits) => byLogits };
  }
  const { rank, alpha, seed } = adapter;
  const size = base.vocabularySize;
  const scale = alpha / rank;
  const down = size * rank;
  return {
    // [previous][rank] random, [rank][next] zero: the adapter starts as no change.
    initial: () => {
      const random = createRandom(seed);
      return Float64Array.from({ length: 2 * down }, (_, index) => (index < down ? (random.next() - 0.5) * 2 : 0));
    },
    logits: (parameters) => {
      const table = base.logits.slice();
      forEachProduct(size, rank, (previous, r, next) => {
        const cell = previous * size + next;
        table[cell] = table[cell]! + scale * parameters[previous * rank + r]! * parameters[down + r * size + next]!;
      });
      return table;
    },
    gradient: (parameters, byLogits) => {
      const gradient = new Float64Array(2 * down);
      forEachProduct(size, rank, (previous, r, next) => {
        const slope = scale * byLogits[previous * size + next]!;
        const left = previous * rank + r;
        const right = down + r * size + next;
        gradient[left] = gradient[left]! + slope * parameters[right]!;
        gradient[right] = gradient[right]! + slope * parameters[left]!;
      });
      return gradient;
    },
  };
}

function forEachProduct(size: number, rank: number, visit: (previous: number, r: number, next: number) => void): void {
  for (let previous = 0; previous < size; previous++) {
    for (let r = 0; r < rank; r++) for (let next = 0; next < size; next++) visit(previous, r, next);
  }
}

/** AdamW's memory. `steps` corrects the bias of young moments. */
export interface ToyMoments {
  readonly steps: number;
  readonly first: Float64Array;
  readonly second: Float64Array;
}

export function newMoments(length: number): ToyMoments {
  return { steps: 0, first: new Float64Array(length), second: new Float64Array(length) };
}

/** One step of AdamW. Nothing given is changed, so a step that fails leaves no trace. */
export function adamStep(
  parameters: Float64Array,
  gradient: Float64Array,
  moments: ToyMoments,
  step: OptimizerStep,
): { readonly parameters: Float64Array; readonly moments: ToyMoments; readonly gradientNorm: number } {
  const [beta1, beta2] = step.betas;
  const gradientNorm = Math.sqrt(gradient.reduce((sum, value) => sum + value * value, 0));
  const shrink = step.gradientClip > 0 && gradientNorm > step.gradientClip ? step.gradientClip / gradientNorm : 1;
  const steps = moments.steps + 1;
  const first = moments.first.map((value, index) => beta1 * value + (1 - beta1) * gradient[index]! * shrink);
  const second = moments.second.map((value, index) => beta2 * value + (1 - beta2) * (gradient[index]! * shrink) ** 2);
  const correct1 = 1 - beta1 ** steps;
  const correct2 = 1 - beta2 ** steps;
  const next = parameters.map((value, index) => {
    const move = first[index]! / correct1 / (Math.sqrt(second[index]! / correct2) + step.epsilon);
    return value - step.learningRate * (move + step.weightDecay * value);
  });
  return { parameters: next, moments: { steps, first, second }, gradientNorm };
}
