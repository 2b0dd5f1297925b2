// Bits that must not change: with the rows computed together, between training and sampling, between builds of one family.
import { createRandom } from "@hone/core";
import { afterAll, describe, expect, test } from "vitest";
import { type Kernels, kernelsOf } from "./kernels.ts";
import { attentionShape, pagedScenario, trainingScenario } from "./testing/attention-scenarios.ts";
import { buildsHere, families } from "./testing/builds.ts";
import { execute, firstDifference, numbers } from "./testing/scenario.ts";
import { scenarios, smallReach } from "./testing/scenarios.ts";

const floats = (kernels: Kernels, values: ArrayLike<number>): Float32Array => {
  const array = kernels.memory.floats(values.length);
  array.set(values);
  return array;
};
const ints = (kernels: Kernels, values: readonly number[]): Int32Array => {
  const array = kernels.memory.ints(values.length);
  array.set(values);
  return array;
};

describe.each(buildsHere())("on $name", ({ open }) => {
  const kernels = kernelsOf(open(1));
  afterAll(() => kernels.close());

  test.each([
    [1, 41],
    [300, 117],
    [600, 205],
  ])(
    "a row of a linear layer with %i inputs and %i outputs has the same bits alone and in a batch of 64",
    (inputs, outputs) => {
      const random = createRandom(inputs);
      const rows = 64;
      const [input, weight] = [
        floats(kernels, numbers(random, rows * inputs)),
        floats(kernels, numbers(random, outputs * inputs)),
      ];
      const batch = kernels.memory.floats(rows * outputs);
      kernels.linear.forward({ rows, inputs, outputs, out: batch, input, weight });
      for (const count of [1, 2, 3, 5, 7, 13]) {
        const out = kernels.memory.floats(count * outputs);
        const first = random.integer(rows - count);
        kernels.linear.forward({ rows: count, inputs, outputs, out, input: input.subarray(first * inputs), weight });
        expect(firstDifference(out, batch.subarray(first * outputs, (first + count) * outputs))).toBeUndefined();
      }
    },
  );

  test("a low-rank part of a linear layer has the bits of a call of its own on top of the layer's", () => {
    const random = createRandom("low");
    const [rows, inputs, outputs, rank] = [21, 300, 70, 16];
    const filled = (length: number): Float32Array => floats(kernels, numbers(random, length));
    const [input, weight, narrow] = [filled(rows * inputs), filled(outputs * inputs), filled(rows * rank)];
    const [one, two] = [kernels.memory.floats(rows * outputs), kernels.memory.floats(rows * outputs)];
    const up = filled(outputs * rank);
    kernels.linear.forward({ rows, inputs, outputs, out: one, input, weight, low: { rank, narrow, weight: up } });
    kernels.linear.forward({ rows, inputs, outputs, out: two, input, weight });
    kernels.linear.forward({ rows, inputs: rank, outputs, out: two, input: narrow, weight: up, accumulate: true });
    expect(firstDifference(one, two)).toBeUndefined();

    const [first, second] = [kernels.memory.floats(rows * inputs), kernels.memory.floats(rows * inputs)];
    const back = { rows, inputs, outputs, outputGradient: one, weight };
    const down = filled(rank * inputs);
    kernels.linear.backwardInput({ ...back, inputGradient: first, low: { rank, narrow, weight: down } });
    kernels.linear.backwardInput({ ...back, inputGradient: second });
    const alone = { rows, inputs, outputs: rank, outputGradient: narrow, weight: down, accumulate: true };
    kernels.linear.backwardInput({ ...alone, inputGradient: second });
    expect(firstDifference(first, second)).toBeUndefined();
  });

  test("a row's norm, activation and logprob have the same bits alone and in a batch", () => {
    const random = createRandom("rows");
    const [rows, width, vocabulary] = [70, 50, 1100];
    const [hidden, weight] = [
      floats(kernels, numbers(random, rows * width)),
      floats(kernels, numbers(random, vocabulary * width)),
    ];
    const targets = ints(
      kernels,
      Array.from({ length: rows }, () => random.integer(vocabulary)),
    );
    const temperature = floats(
      kernels,
      Array.from({ length: rows }, () => 0.7),
    );
    const [norms, logprobs, gated] = [
      kernels.memory.floats(rows * width),
      kernels.memory.floats(rows),
      kernels.memory.floats(rows * width),
    ];
    const run = (first: number, count: number): number[] => {
      const input = hidden.subarray(first * width);
      const part = { rows: count, width, vocabulary };
      kernels.layer.normForward({ ...part, epsilon: 1e-6, out: norms, input, weight: weight.subarray(0, width) });
      kernels.layer.swigluForward({ length: count * width, out: gated, gate: input, up: weight });
      const where = { targets: targets.subarray(first), temperature: temperature.subarray(first) };
      kernels.loss.forward({ ...part, ...where, hidden: input, weight, logprob: logprobs });
      return [...norms.subarray(0, width), logprobs[0] ?? NaN];
    };
    const all = run(0, rows);
    expect(run(0, 1)).toEqual(all);
    expect(run(37, 1)).toEqual(run(37, 20));
  });

  test.each([
    { pageTokens: 16, chunkTokens: 1 },
    { pageTokens: 16, chunkTokens: 7 },
    { pageTokens: 48, chunkTokens: 100 },
  ])("decoding $chunkTokens at a time from pages of $pageTokens gives training's bits", (options) => {
    const sizes = { keyHeads: 2, group: 3, headWidth: 24, lengths: [41, 1, 70] };
    expect(attentionShape(sizes).tokens).toBe(112);
    const scenario = pagedScenario(createRandom("pages"), sizes, options);
    const paged = execute(kernels, scenario);
    const training = trainingScenario(createRandom("training"), sizes);
    const { queries, keys, values } = scenario.floats as Record<"queries" | "keys" | "values", Float32Array>;
    const packed = execute(kernels, { ...training, floats: { ...training.floats, queries, keys, values } });
    expect(firstDifference(paged["out"], packed["out"])).toBeUndefined();
  });

  test.each([1, 0.7])(
    "at temperature %d the fused loss and the sampler's logits give a token the same logprob",
    (degree) => {
      const random = createRandom("loss");
      const shape = { rows: 9, width: 70, vocabulary: 2100 };
      const hidden = floats(kernels, numbers(random, shape.rows * shape.width));
      const weight = floats(kernels, numbers(random, shape.vocabulary * shape.width));
      const targets = ints(
        kernels,
        Array.from({ length: shape.rows }, () => random.integer(shape.vocabulary)),
      );
      const temperature = floats(
        kernels,
        Array.from({ length: shape.rows }, () => degree),
      );
      const [fused, sampled] = [kernels.memory.floats(shape.rows), kernels.memory.floats(shape.rows)];
      kernels.loss.forward({ ...shape, hidden, weight, targets, temperature, logprob: fused });
      const logits = kernels.memory.floats(shape.rows * shape.vocabulary);
      for (let row = 0; row < shape.rows; row++) {
        // one row at a time, as a sampler that serves one request
        const [input, out] = [hidden.subarray(row * shape.width), logits.subarray(row * shape.vocabulary)];
        kernels.linear.forward({ rows: 1, inputs: shape.width, outputs: shape.vocabulary, out, input, weight });
      }
      kernels.loss.logitsLogprob({ ...shape, logits, targets, temperature, logprob: sampled });
      expect(firstDifference(sampled, fused)).toBeUndefined();
      expect(Math.max(...fused)).toBeLessThan(0);
    },
  );
});

describe.each(families(buildsHere()))("of one family", (...family) => {
  const opened = family.map(({ name, open }) => ({ name, kernels: kernelsOf(open(1)) }));
  afterAll(() => opened.forEach(({ kernels }) => kernels.close()));

  test.each(Object.entries(scenarios))(
    `%s has the same bits on ${family.map(({ name }) => name).join(" and ")}`,
    (_, make) => {
      for (const seed of [1, 2, 3]) {
        const scenario = make(createRandom(seed), smallReach);
        const results = opened.map(({ kernels }) => execute(kernels, scenario));
        for (const result of results.slice(1))
          for (const name of Object.keys(scenario.floats))
            expect([name, firstDifference(result[name], results[0]?.[name])]).toEqual([name, undefined]);
      }
    },
  );
});
