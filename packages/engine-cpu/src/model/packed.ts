// Several sequences in one row of tokens, through the decoder: what training and scoring have in common.
import type { Floats } from "../kernel/memory.ts";
import { forward } from "./decoder.ts";
import { attention } from "./operations.ts";
import { type Logprobs, outputLogprobs, type Targets } from "./output.ts";
import type { IntSlots } from "./slots.ts";
import type { Tape } from "./tape.ts";
import type { PolicyWeights } from "./weights.ts";

export interface PackedSequences {
  readonly tokens: Int32Array;
  readonly positions: Int32Array;
  /** First token of each sequence. */
  readonly starts: Int32Array;
}
export type PackedSlots = IntSlots<"tokens" | "positions" | "starts" | "rows" | "targets">;

export interface PackedOptions {
  readonly slots: PackedSlots;
  readonly isRecomputing?: boolean;
}

export function packedLogprobs<F extends Floats>(
  tape: Tape<F>,
  policy: PolicyWeights<F>,
  packed: PackedSequences,
  targets: Targets,
  { slots, isRecomputing = false }: PackedOptions,
): Logprobs<F> {
  const { heads, keyHeads, headWidth } = policy.decoder.config;
  const starts = slots.put("starts", [...packed.starts, packed.tokens.length]);
  const rows = { tokens: slots.put("tokens", packed.tokens), positions: slots.put("positions", packed.positions) };
  const stream = forward(tape, policy, rows, {
    attend: (tape, _layer, triple) => attention(tape, triple, { heads, keyHeads, headWidth, starts }),
    isRecomputing,
  });
  return outputLogprobs(tape, policy, stream, {
    ...targets,
    rows: slots.put("rows", targets.rows),
    tokens: slots.put("targets", targets.tokens),
  });
}

/** Every token but the first of its sequence follows the row before it; `isWanted` leaves tokens out. */
export function targetsOf(
  { tokens, positions }: PackedSequences,
  temperature: (at: number) => number,
  isWanted: (at: number) => boolean = () => true,
): Targets & { readonly at: Int32Array } {
  const at: number[] = [];
  for (let index = 0; index < tokens.length; index++) if (positions[index] !== 0 && isWanted(index)) at.push(index);
  return {
    at: Int32Array.from(at),
    rows: Int32Array.from(at, (index) => index - 1),
    tokens: Int32Array.from(at, (index) => tokens[index]!),
    // The likeliest token was taken: its logprob is that of temperature 1.
    temperature: Float32Array.from(at, (index) => temperature(index) || 1),
  };
}
