// One packed row: forward, the loss of its tokens, backward. Losses are computed here in double precision from the kernels' logprobs;
// back to the kernels goes one number per token, d loss / d logprob.
import { HoneError, type LossSpec, lossTerm, packedColumns, type PackedRow, type Sample } from "@hone/core";
import type { Arena } from "../model/arena.ts";
import { packedLogprobs, type PackedSlots, targetsOf } from "../model/packed.ts";
import { type ParameterGradients, Tape } from "../model/tape.ts";
import type { PolicyWeights } from "../model/weights.ts";
import type { Kernels } from "../kernel/kernels.ts";

export interface RowWork {
  readonly kernels: Kernels;
  readonly arena: Arena;
  readonly slots: PackedSlots;
  readonly policy: PolicyWeights;
  readonly gradients: ParameterGradients<Float32Array>;
  readonly isRecomputing: boolean;
}
export interface RowResult {
  readonly loss: number;
  /** Tokens that had a term. */
  readonly tokens: number;
  /** As long as the row; 0 where nothing was computed. */
  readonly logprobs: Float32Array;
}

/** Only tokens with a weight are computed, unless the logprobs are all that is wanted: then every token is. */
export function rowGradient(work: RowWork, samples: readonly Sample[], row: PackedRow, loss: LossSpec): RowResult {
  const columns = packedColumns(samples, row);
  const isForward = loss.type === "none";
  const { kernels, arena, slots, policy, gradients, isRecomputing } = work;
  const targets = targetsOf(
    columns,
    (at) => columns.temperature[at]!,
    (at) => isForward || columns.weight[at] !== 0,
  );
  const column = new Float32Array(columns.tokens.length);
  if (targets.at.length === 0) return { loss: 0, tokens: 0, logprobs: column };
  const tape = new Tape({ kernels, arena, ...(isForward ? {} : { gradients }) });
  const logprobs = packedLogprobs(tape, policy, columns, targets, { slots, isRecomputing });
  for (const [index, at] of targets.at.entries()) column[at] = logprobs.values[index]!;
  try {
    const { total, slopes } = isForward ? nothing : terms(targets.at);
    if (isForward) logprobs.release();
    else logprobs.backward(slopes);
    return { loss: total, tokens: isForward ? 0 : targets.at.length, logprobs: column };
  } catch (error) {
    if (HoneError.is(error) && error.code === "non-finite") logprobs.release();
    throw error;
  }

  function terms(at: Int32Array): { readonly total: number; readonly slopes: Float32Array } {
    const slopes = new Float32Array(at.length);
    let total = 0;
    for (const [index, position] of at.entries()) {
      const weight = columns.weight[position]!;
      const { term, slope } = lossTerm(
        loss,
        column[position]!,
        columns.logprob[position]!,
        columns.advantage[position]!,
      );
      total += weight * term;
      slopes[index] = weight * slope;
      if (Number.isFinite(total) && Number.isFinite(slopes[index])) continue;
      throw notFinite(samples, row, position);
    }
    return { total, slopes };
  }
}

const nothing = { total: 0, slopes: new Float32Array() };

function notFinite(samples: readonly Sample[], row: PackedRow, position: number): HoneError {
  const part = row.find(({ start, length }) => position >= start && position < start + length);
  const sample = part && samples[part.sample];
  const where = `sample ${sample?.id ?? "?"} is not a finite number at token ${position - (part?.start ?? 0)}`;
  return new HoneError(`the loss of ${where}`, { code: "non-finite" });
}
