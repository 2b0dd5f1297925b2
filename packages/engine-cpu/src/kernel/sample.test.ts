// Sampling on every build: the distribution it draws from, what truncation leaves, and logprobs that are the loss's own bits.
import { createRandom } from "@hone/core";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { type Kernels, kernelsOf } from "./kernels.ts";
import { buildsHere } from "./testing/builds.ts";
import { firstDifference, numbers } from "./testing/scenario.ts";

interface Drawing {
  readonly vocabulary: number;
  readonly logits: Float32Array;
  readonly temperature: ArrayLike<number>;
  /** From 0 to 1, of each row. */
  readonly parts: readonly number[];
  readonly limits?: readonly number[];
}

function draw(kernels: Kernels, { vocabulary, logits, temperature, parts, limits }: Drawing) {
  const rows = parts.length;
  const floats = (values: ArrayLike<number>): Float32Array => {
    const array = kernels.memory.floats(values.length);
    array.set(values);
    return array;
  };
  const noise = kernels.memory.ints(rows * 2);
  for (const [row, part] of parts.entries()) {
    const bits = Math.min(Math.floor(part * 2 ** 53), 2 ** 53 - 1);
    noise.set([Math.floor(bits / 2 ** 26) << 5, (bits % 2 ** 26) << 6], row * 2);
  }
  const arrays = {
    logits: floats(logits),
    temperature: floats(temperature),
    noise,
    tokens: kernels.memory.ints(rows),
    logprob: kernels.memory.floats(rows),
    untempered: kernels.memory.floats(rows),
  };
  const truncation = limits && floats(parts.flatMap(() => limits));
  kernels.sample.tokens({ rows, vocabulary, ...arrays, ...(truncation && { truncation }) });
  return arrays;
}

/** As many rows of the same logits as parts. */
const repeated = (row: Float32Array, count: number): Float32Array => {
  const rows = new Float32Array(count * row.length);
  for (let index = 0; index < count; index++) rows.set(row, index * row.length);
  return rows;
};
const evenly = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => (index + 0.5) / count);
const same = (value: number, count: number): readonly number[] => Array.from({ length: count }, () => value);

function softmax(row: Float32Array, temperature: number): number[] {
  const most = Math.max(...row);
  const weights = Array.from(row, (logit) => Math.exp((logit - most) / temperature));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** The definition: one truncation after the other, each on what the one before left, renormalised. */
function truncated(probabilities: readonly number[], [topK, topP, minP]: readonly [number, number, number]): number[] {
  const renormalise = (ids: readonly number[]): Map<number, number> => {
    const total = ids.reduce((sum, id) => sum + (probabilities[id] ?? 0), 0);
    return new Map(ids.map((id) => [id, (probabilities[id] ?? 0) / total]));
  };
  const sorted = [...probabilities.keys()].sort((a, b) => probabilities[b]! - probabilities[a]! || a - b);
  const likely = renormalise(topK === 0 ? sorted : sorted.slice(0, topK));
  const reaching: number[] = [];
  let mass = 0;
  for (const [id, probability] of likely) {
    if (topP < 1 && mass >= topP) break;
    reaching.push(id);
    mass += probability;
  }
  const left = renormalise(reaching);
  const most = Math.max(...left.values());
  const kept = renormalise([...left].filter(([, probability]) => probability >= minP * most).map(([id]) => id));
  return probabilities.map((_, id) => kept.get(id) ?? 0);
}

describe.each(buildsHere())("on $name", ({ open }) => {
  const kernels = kernelsOf(open(1));
  afterAll(() => kernels.close());

  test.each([1, 0.6, 1.8])("at temperature %d evenly spread noise gives every token its share", (temperature) => {
    const row = numbers(createRandom("share"), 1300, 3);
    const count = 500;
    const logits = repeated(row, count);
    const { tokens } = draw(kernels, {
      vocabulary: 1300,
      logits,
      temperature: same(temperature, count),
      parts: evenly(count),
    });
    const probabilities = softmax(row, temperature);
    const counts = probabilities.map(() => 0);
    for (const token of tokens) counts[token] = (counts[token] ?? 0) + 1;
    // Inverting a distribution at evenly spaced places is off by less than one place per token.
    expect(
      Math.max(...counts.map((times, token) => Math.abs(times - count * (probabilities[token] ?? 0)))),
    ).toBeLessThan(1.01);
    expect(tokens.every((token, index) => token >= (tokens[index - 1] ?? 0))).toBe(true);
  });

  test("truncation leaves what its definition says, with the shares that it says", () => {
    const limits = fc.tuple(
      fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 70 })),
      fc.oneof(
        fc.constant(1),
        fc.integer({ min: 1, max: 63 }).map((x) => x / 64),
      ),
      fc.oneof(
        fc.constant(0),
        fc.integer({ min: 1, max: 63 }).map((x) => x / 64),
      ),
    );
    const property = fc.property(fc.integer(), fc.integer({ min: 1, max: 60 }), limits, (seed, vocabulary, limits) => {
      const row = numbers(createRandom(seed), vocabulary, 3);
      const count = 300;
      const { tokens } = draw(kernels, {
        vocabulary,
        logits: repeated(row, count),
        temperature: same(0.7, count),
        parts: evenly(count),
        limits,
      });
      const expected = truncated(softmax(row, 0.7), limits);
      const counts = expected.map(() => 0);
      for (const token of tokens) counts[token] = (counts[token] ?? 0) + 1;
      for (const [token, share] of expected.entries()) {
        expect(Math.abs((counts[token] ?? 0) - count * share)).toBeLessThan(1.01);
        if (share === 0) expect(counts[token]).toBe(0);
      }
    });
    fc.assert(property, { numRuns: 30, seed: 3 });
  });

  test.each([1, 0.7])("at temperature %d the logprobs have the bits of the loss for that token", (degree) => {
    const random = createRandom("bits");
    const shape = { rows: 6, width: 40, vocabulary: 2300 };
    const [hidden, weight, logits, logprob] = [
      kernels.memory.floats(shape.rows * shape.width),
      kernels.memory.floats(shape.vocabulary * shape.width),
      kernels.memory.floats(shape.rows * shape.vocabulary),
      kernels.memory.floats(shape.rows),
    ];
    hidden.set(numbers(random, hidden.length));
    weight.set(numbers(random, weight.length));
    kernels.linear.forward({ rows: 6, inputs: 40, outputs: 2300, out: logits, input: hidden, weight });
    const parts = Array.from({ length: shape.rows }, () => random.next());
    const [all, top] = [undefined, [500, 0.9, 0.01]].map((limits) =>
      draw(kernels, { ...shape, logits, temperature: same(degree, 6), parts, ...(limits && { limits }) }),
    ) as [ReturnType<typeof draw>, ReturnType<typeof draw>];
    for (const { tokens: targets, temperature, ...drawn } of [all, top]) {
      kernels.loss.forward({ ...shape, hidden, weight, targets, temperature, logprob });
      expect(firstDifference(drawn.logprob, logprob)).toBeUndefined();
      kernels.loss.logitsLogprob({ ...shape, logits, targets, temperature: temperature.fill(1), logprob });
      expect(firstDifference(drawn.untempered, logprob)).toBeUndefined();
      expect(firstDifference(drawn.untempered, drawn.logprob) === undefined).toBe(degree === 1);
    }
  });

  test("a row has the same token and logprobs alone and among others", () => {
    const random = createRandom("alone");
    const [rows, vocabulary] = [12, 1500];
    const logits = numbers(random, rows * vocabulary, 3);
    const temperature = Array.from({ length: rows }, (_, row) => [0, 1, 0.5][row % 3] ?? 1);
    const parts = Array.from({ length: rows }, () => random.next());
    for (const limits of [undefined, [40, 0.8, 0.05]]) {
      const limited = limits && { limits };
      const together = draw(kernels, { vocabulary, logits, temperature, parts, ...limited });
      for (let row = 0; row < rows; row++) {
        const alone = draw(kernels, {
          vocabulary,
          logits: logits.subarray(row * vocabulary, (row + 1) * vocabulary),
          temperature: temperature.slice(row, row + 1),
          parts: parts.slice(row, row + 1),
          ...limited,
        });
        for (const name of ["tokens", "logprob", "untempered"] as const)
          expect([name, alone[name][0]]).toEqual([name, together[name][row]]);
      }
    }
  });

  test("temperature 0 takes the first of the likeliest, with the logprob of temperature 1", () => {
    const logits = new Float32Array(3000).fill(-5);
    logits.set([4, 4], 1999);
    for (const limits of [undefined, [3, 0.5, 0.1]]) {
      const drawn = draw(kernels, {
        vocabulary: 3000,
        logits,
        temperature: [0],
        parts: [0.99],
        ...(limits && { limits }),
      });
      expect(drawn.tokens[0]).toBe(1999);
      expect(drawn.logprob[0]).toBeCloseTo(Math.log(1 / (2 + 2998 * Math.exp(-9))), 5);
      expect(drawn.untempered[0]).toBe(drawn.logprob[0]);
    }
  });

  test("the least and the most noise never choose a token without probability", () => {
    const logits = new Float32Array(2100).fill(-1e6);
    logits.set([0, 0], 1030);
    const drawing = { vocabulary: 2100, logits: repeated(logits, 2), temperature: [1, 1], parts: [0, 1] };
    for (const limits of [undefined, [0, 0.9999, 0], [2000, 1, 0]])
      expect([...draw(kernels, { ...drawing, ...(limits && { limits }) }).tokens]).toEqual([1030, 1031]);
  });

  test("top-k 1 is the likeliest token, the smaller id among equals", () => {
    const random = createRandom("top");
    const logits = numbers(random, 1000, 0.1).map((x) => Math.round(x * 100) / 100);
    const drawing = { vocabulary: 1000, logits, temperature: [1], parts: [0.7] };
    const first = logits.indexOf(Math.max(...logits));
    expect(draw(kernels, { ...drawing, limits: [1, 1, 0] }).tokens[0]).toBe(first);
    expect(logits.lastIndexOf(Math.max(...logits))).toBeGreaterThan(first);
  });

  test("a logit that is not a number shows in the logprobs; the token is one of the vocabulary", () => {
    for (const bad of [NaN, Infinity])
      for (const temperature of [0, 1, 0.5])
        for (const limits of [undefined, [3, 0.5, 0.1]]) {
          const logits = numbers(createRandom("bad"), 1200);
          logits[1100] = bad;
          const drawing = { vocabulary: 1200, logits, temperature: [temperature], parts: [0.4] };
          const { tokens, logprob, untempered } = draw(kernels, { ...drawing, ...(limits && { limits }) });
          expect([Number.isFinite(logprob[0]), Number.isFinite(untempered[0])]).toEqual([false, false]);
          expect(tokens[0]).toBeGreaterThanOrEqual(0);
          expect(tokens[0]).toBeLessThan(1200);
        }
  });

  test("temperatures below 0 and limits that mean nothing are refused", () => {
    const drawing = { vocabulary: 3, logits: new Float32Array(3), temperature: [1], parts: [0.5] };
    for (const temperature of [-1, NaN])
      expect(() => draw(kernels, { ...drawing, temperature: [temperature] })).toThrow("temperature");
    const wrong = [
      [-1, 1, 0],
      [1.5, 1, 0],
      [NaN, 1, 0],
      [0, 0, 0],
      [0, 1.1, 0],
      [0, 1, -0.1],
      [0, 1, 2],
    ];
    for (const limits of wrong) expect(() => draw(kernels, { ...drawing, limits })).toThrow("truncation");
  });
});
