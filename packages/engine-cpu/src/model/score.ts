// Logprobs of whole sequences under a policy, in packed rows: a slice of work per row.
import { pack } from "@hone/core";
import type { Kernels } from "../kernel/kernels.ts";
import { Arena } from "./arena.ts";
import { badRequest, checkTokens } from "./check-tokens.ts";
import { packedLogprobs, type PackedSequences, targetsOf } from "./packed.ts";
import { IntSlots } from "./slots.ts";
import { Tape } from "./tape.ts";
import type { PolicyWeights } from "./weights.ts";

const usualRowTokens = 1024;

/** 0 at the first token of each. */
export function* scoreSequences(
  kernels: Kernels,
  policy: PolicyWeights,
  sequences: readonly Int32Array[],
  temperature: number,
): Generator<void, Float32Array[]> {
  if (!(temperature >= 0 && Number.isFinite(temperature))) throw badRequest(`the temperature is ${temperature}`);
  for (const [index, ids] of sequences.entries()) checkTokens(ids, policy.decoder.config, `sequence ${index}`);
  const scored = sequences.map((ids) => new Float32Array(ids.length));
  const longest = sequences.reduce((most, ids) => Math.max(most, ids.length), 1);
  const arena = new Arena(kernels.memory);
  const slots = new IntSlots<"tokens" | "positions" | "starts" | "rows" | "targets">(kernels.memory);
  try {
    for (const row of pack(
      Int32Array.from(sequences, (ids) => ids.length),
      {
        rowTokens: Math.max(longest, usualRowTokens),
      },
    )) {
      const packed = packSequences(row.map(({ sample }) => sequences[sample]!));
      const targets = targetsOf(packed, () => temperature);
      if (targets.at.length === 0) continue;
      const logprobs = packedLogprobs(new Tape({ kernels, arena }), policy, packed, targets, { slots });
      const column = new Float32Array(packed.tokens.length);
      for (const [index, at] of targets.at.entries()) column[at] = logprobs.values[index]!;
      for (const { sample, start, length } of row) scored[sample]!.set(column.subarray(start, start + length));
      logprobs.release();
      yield;
    }
    return scored;
  } finally {
    arena.trim();
    slots.release();
  }
}

function packSequences(sequences: readonly Int32Array[]): PackedSequences {
  const length = sequences.reduce((sum, ids) => sum + ids.length, 0);
  const [tokens, positions] = [new Int32Array(length), new Int32Array(length)];
  const starts = new Int32Array(sequences.length);
  let start = 0;
  for (const [index, ids] of sequences.entries()) {
    starts[index] = start;
    tokens.set(ids, start);
    for (let position = 0; position < ids.length; position++) positions[start + position] = position;
    start += ids.length;
  }
  return { tokens, positions, starts };
}
