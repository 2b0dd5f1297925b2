// The normaliser over a whole update, folded into `weight`: engines only sum weight x term.
// token: all trained tokens count alike, weights sum to 1. sequence: all sequences do, weights sum to 1 / n in each.
// constant (Dr. GRPO): 1 / (n x tokens) for every trained token, so that a sequence counts by its length, but no batch by its own.
import { HoneError, type Sample } from "@hone/core";

export type Normaliser =
  | { readonly type: "token" }
  | { readonly type: "sequence" }
  | { readonly type: "constant"; readonly tokens: number };

/**
 * Where environments differ in their normaliser, each part of the update counts by its share of the sequences. A sequence is a sample with
 * trained tokens; an input weight that is not 1 counts as that part of a token.
 */
export function normalise(samples: readonly Sample[], normaliserOf: (sample: Sample) => Normaliser): Sample[] {
  const parts = new Map<string, Part>();
  const normalisers = samples.map(normaliserOf);
  const sums = samples.map(({ weight }) => sumOf(weight));
  for (const [index, normaliser] of normalisers.entries()) {
    const sum = sums[index] ?? 0;
    if (sum === 0) continue;
    const part = parts.get(keyOf(normaliser)) ?? { sequences: 0, weight: 0 };
    parts.set(keyOf(normaliser), { sequences: part.sequences + 1, weight: part.weight + sum });
  }
  const total = [...parts.values()].reduce((sum, { sequences }) => sum + sequences, 0);
  return samples.map((sample, index) => {
    const normaliser = normalisers[index];
    const part = normaliser === undefined ? undefined : parts.get(keyOf(normaliser));
    const sum = sums[index] ?? 0;
    if (normaliser === undefined || part === undefined || sum === 0) return sample;
    const factor = factorOf(normaliser, { part, sum, total });
    return { ...sample, weight: scaled(sample.weight, factor) };
  });
}

interface Part {
  readonly sequences: number;
  readonly weight: number;
}
interface Within {
  readonly part: Part;
  /** Of this sample's weights. */
  readonly sum: number;
  /** Sequences of the whole update. */
  readonly total: number;
}

function factorOf(normaliser: Normaliser, { part, sum, total }: Within): number {
  switch (normaliser.type) {
    case "token":
      return part.sequences / total / part.weight;
    case "sequence":
      return 1 / total / sum;
    case "constant":
      if (normaliser.tokens > 0) return 1 / total / normaliser.tokens;
      throw new HoneError(`the constant of a normaliser is a number of tokens, not ${normaliser.tokens}`, {
        code: "config",
      });
  }
}

function keyOf(normaliser: Normaliser): string {
  return normaliser.type === "constant" ? `constant ${normaliser.tokens}` : normaliser.type;
}

function scaled(column: Float32Array, factor: number): Float32Array {
  const result = new Float32Array(column.length);
  for (let at = 0; at < column.length; at++) result[at] = column[at]! * factor;
  return result;
}

function sumOf(column: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < column.length; at++) sum += column[at]!;
  return sum;
}
