// Attention with random groups, widths and sequences; pages in random order, as after a long life of the cache.
import type { Random } from "@hone/core";
import { pageFloats } from "../attention.ts";
import { between, numbers, type Scenario } from "./scenario.ts";

export interface AttentionSizes {
  readonly keyHeads: number;
  readonly group: number;
  readonly headWidth: number;
  readonly lengths: readonly number[];
}

function attentionSizes(random: Random, reach: number): AttentionSizes {
  return {
    keyHeads: between(random, 1, 3),
    group: between(random, 1, 4),
    headWidth: between(random, 1, 40),
    lengths: Array.from({ length: between(random, 0, 4) }, () => between(random, 0, 60 * reach)),
  };
}

/** Starts of packed sequences of these lengths, and the end. */
export function startsOf(lengths: readonly number[]): number[] {
  const starts = [0];
  for (const length of lengths) starts.push((starts.at(-1) ?? 0) + length);
  return starts;
}

export function attentionShape({ keyHeads, group, headWidth, lengths }: AttentionSizes) {
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  return { heads: keyHeads * group, keyHeads, headWidth, tokens, scale: Math.fround(1 / Math.sqrt(headWidth)) };
}

/** Forward, then backward. */
export function trainingScenario(random: Random, sizes: AttentionSizes): Scenario {
  const shape = attentionShape(sizes);
  const [query, key] = [shape.tokens * shape.heads * shape.headWidth, shape.tokens * shape.keyHeads * shape.headWidth];
  const lengths = {
    out: query,
    queries: query,
    outputGradient: query,
    queryGradient: query,
    keys: key,
    values: key,
    keyGradient: key,
    valueGradient: key,
  };
  const floats = Object.fromEntries(
    Object.entries(lengths).map(([name, length]) => [name, numbers(random, length, 2)]),
  );
  return {
    floats: { ...floats, logSum: numbers(random, shape.tokens * shape.heads) },
    ints: { starts: startsOf(sizes.lengths) },
    run: (kernels, { float, int }) => {
      const kept = {
        out: float("out"),
        logSum: float("logSum"),
        queries: float("queries"),
        keys: float("keys"),
        values: float("values"),
      };
      const packed = { ...shape, starts: int("starts"), ...kept };
      kernels.attention.forward(packed);
      kernels.attention.backward({
        ...packed,
        outputGradient: float("outputGradient"),
        queryGradient: float("queryGradient"),
        keyGradient: float("keyGradient"),
        valueGradient: float("valueGradient"),
      });
    },
  };
}

/**
 * The same queries, keys and values through pages, in chunks: each chunk of a sequence is stored, then attends.
 * Its `out` is what training computes.
 */
export function pagedScenario(
  random: Random,
  sizes: AttentionSizes,
  options: { readonly pageTokens: number; readonly chunkTokens: number },
): Scenario {
  const shape = attentionShape(sizes);
  const { pageTokens, chunkTokens } = options;
  const tableWidth = Math.max(1, ...sizes.lengths.map((length) => Math.ceil(length / pageTokens)));
  const pages = Math.max(1, sizes.lengths.length * tableWidth);
  const room = pageFloats({ ...shape, pageTokens });
  const [query, key] = [shape.tokens * shape.heads * shape.headWidth, shape.tokens * shape.keyHeads * shape.headWidth];
  const table = random
    .shuffle(Array.from({ length: pages }, (_, page) => page))
    .slice(0, sizes.lengths.length * tableWidth);
  const starts = startsOf(sizes.lengths);
  const most = Math.max(0, ...sizes.lengths);
  return {
    floats: {
      queries: numbers(random, query, 2),
      keys: numbers(random, key, 2),
      values: numbers(random, key, 2),
      out: numbers(random, query),
      // What lies in pages from before must not matter.
      keyPages: new Float32Array(pages * room.keys).fill(NaN),
      valuePages: new Float32Array(pages * room.values).fill(NaN),
    },
    ints: { table },
    run: (kernels, { float, int }) => {
      const cache = { keyPages: float("keyPages"), valuePages: float("valuePages"), pages, pageTokens };
      for (let first = 0; first < most; first += chunkTokens)
        for (const [sequence, length] of sizes.lengths.entries()) {
          const end = Math.min(first + chunkTokens, length);
          if (end <= first) continue;
          const from = (starts[sequence] ?? 0) + first;
          const tokens = end - first;
          const part = (name: string, heads: number) =>
            float(name).subarray(
              from * heads * shape.headWidth,
              (from + tokens) * heads * shape.headWidth,
            ) as ReturnType<typeof float>;
          const slots = kernels.memory.ints(tokens);
          slots.set(
            slots.map(
              (_, at) =>
                (table[sequence * tableWidth + Math.floor((first + at) / pageTokens)] ?? 0) * pageTokens +
                ((first + at) % pageTokens),
            ),
          );
          kernels.attention.store({
            ...shape,
            ...cache,
            tokens,
            keys: part("keys", shape.keyHeads),
            values: part("values", shape.keyHeads),
            slots,
          });
          const [few, lengths] = [kernels.memory.ints(2), kernels.memory.ints(1)];
          few.set([0, tokens]);
          lengths.set([end]);
          const row = int("table").subarray(sequence * tableWidth, (sequence + 1) * tableWidth);
          const asked = {
            queries: part("queries", shape.heads),
            out: part("out", shape.heads),
            starts: few,
            lengths,
            table: row,
            tableWidth,
          };
          kernels.attention.paged({ ...shape, ...cache, ...asked, tokens });
          for (const array of [slots, few, lengths]) kernels.memory.release(array);
        }
    },
  };
}

export const attentionScenarios = {
  "attention.training": (random: Random, reach: number): Scenario =>
    trainingScenario(random, attentionSizes(random, reach)),
  "attention.paged": (random: Random, reach: number): Scenario => {
    const options = { pageTokens: 16 * between(random, 1, 3), chunkTokens: between(random, 1, 20) };
    return pagedScenario(random, attentionSizes(random, reach), options);
  },
};
