// From the residual stream to logprobs of given tokens: only the rows that are asked for pass the final norm and the output layer, and the
// full logits are never held.
import type { Floats } from "../kernel/memory.ts";
import { lowRankBackward, lowRankInput } from "./linear.ts";
import { norm, pickRows } from "./operations.ts";
import type { Tape, Value } from "./tape.ts";
import type { DecoderWeights, PolicyWeights } from "./weights.ts";

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
  { decoder, adapter }: PolicyWeights<F>,
  stream: Value<F>,
  targets: Targets,
): Logprobs<F> {
  const { arena, kernels } = tape;
  const { weight, inputs: width, outputs: vocabulary, name } = decoder.head;
  const rows = targets.rows.length;
  const hidden = outputRows(tape, decoder, stream, targets.rows);
  const part = adapter?.parts.get(name);
  const lowRank = part && { input: hidden, part, inputs: width, scale: adapter!.scale };
  const low = lowRank && { ...lowRankInput(tape, lowRank), weight: part.b };
  const [values, logSum, temperature] = [arena.take(rows), arena.take(rows), arena.take(rows)];
  temperature.set(targets.temperature);
  const head = { rows, width, vocabulary, hidden: hidden.data, weight, ...(low && { low }) };
  const loss = { ...head, targets: targets.tokens, temperature, logSum };
  kernels.loss.forward({ ...loss, logprob: values });
  const release = (): void => {
    for (const array of [values, logSum, temperature, ...(low === undefined ? [] : [low.narrow])]) arena.give(array);
  };

  function backward(slope: ArrayLike<number>): void {
    const slopes = arena.take(rows);
    slopes.set(slope);
    const weightGradient = tape.gradientOf(weight);
    const bGradient = low && tape.gradientOf(low.weight);
    const lowGradient = low && { narrow: arena.take(low.narrow.length), ...(bGradient && { weight: bGradient }) };
    const { gradient: hiddenGradient } = tape.inputGradient(hidden);
    const wanted = { ...(weightGradient && { weightGradient }), ...(lowGradient && { lowGradient }) };
    kernels.loss.backward({ ...loss, slope: slopes, hiddenGradient, ...wanted });
    if (lowGradient !== undefined) {
      const { narrow } = lowGradient;
      lowRankBackward(tape, lowRank!, narrow);
      const back = { rows, inputs: width, outputs: low!.rank, inputGradient: hiddenGradient, weight: part!.a };
      kernels.linear.backwardInput({ ...back, outputGradient: narrow, accumulate: true });
      arena.give(narrow);
    }
    arena.give(slopes);
    release();
    tape.backward();
  }

  return {
    values,
    backward,
    release: () => {
      release();
      if (tape.isRecording) tape.abandon();
      else tape.drop(hidden);
    },
  };
}
