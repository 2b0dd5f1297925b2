// From the residual stream to logprobs of given tokens: only the rows that are asked for pass the final norm and the output layer, and the
// full logits are never held.
import type { Floats } from "../kernel/memory.ts";
import { norm, pickRows } from "./operations.ts";
import type { Tape, Value } from "./tape.ts";
import type { DecoderWeights } from "./weights.ts";

/** The token that follows a row, at a temperature. All as long as each other. */
export interface Targets {
  readonly rows: Int32Array;
  readonly tokens: Int32Array;
  readonly temperature: Float32Array;
}

export interface Logprobs<F extends Floats> {
  readonly values: F;
  /** Adds the gradient of sum(slope x logprob): d loss / d logprob in, everything before it out. Once. */
  backward(slope: ArrayLike<number>): void;
  /** Gives the arrays back without a gradient. Once, instead. */
  release(): void;
}

/** Normed rows of the stream. */
export function outputRows<F extends Floats>(
  tape: Tape<F>,
  { config, finalNorm }: DecoderWeights<F>,
  stream: Value<F>,
  rows: Int32Array,
): Value<F> {
  const picked = pickRows(tape, stream, rows, config.width);
  tape.drop(stream);
  const hidden = norm(tape, picked, finalNorm, config.normEpsilon);
  tape.drop(picked);
  return hidden;
}

/** `targets` where the kernels can reach its whole numbers. */
export function outputLogprobs<F extends Floats>(
  tape: Tape<F>,
  decoder: DecoderWeights<F>,
  stream: Value<F>,
  targets: Targets,
): Logprobs<F> {
  const { arena, kernels } = tape;
  const count = targets.rows.length;
  const hidden = outputRows(tape, decoder, stream, targets.rows);
  const [values, logSum, temperature] = [arena.take(count), arena.take(count), arena.take(count)];
  temperature.set(targets.temperature);
  const { width, vocabulary } = decoder.config;
  const shape = { rows: count, width, vocabulary, hidden: hidden.data, weight: decoder.head };
  const loss = { ...shape, targets: targets.tokens, temperature, logSum };
  kernels.loss.forward({ ...loss, logprob: values });
  const release = (): void => {
    for (const array of [values, logSum, temperature]) arena.give(array);
  };
  return {
    values,
    backward: (slope) => {
      const slopes = arena.take(count);
      slopes.set(slope);
      const weightGradient = tape.gradientOf(decoder.head);
      const { gradient } = tape.inputGradient(hidden);
      kernels.loss.backward({
        ...loss,
        slope: slopes,
        hiddenGradient: gradient,
        ...(weightGradient && { weightGradient }),
      });
      arena.give(slopes);
      release();
      tape.backward();
    },
    release: () => {
      release();
      if (tape.isRecording) tape.abandon();
      else tape.drop(hidden);
    },
  };
}
