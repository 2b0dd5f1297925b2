// Every backward pass of the reference against finite differences, in double precision. The other builds are held to the reference.
import { createRandom, type Random } from "@hone/core";
import { expect, test } from "vitest";
import { referenceKernels } from "./reference.ts";
import { startsOf } from "./testing/attention-scenarios.ts";
import { difference, numbers } from "./testing/scenario.ts";

const tolerance = 1e-8;
const kernels = referenceKernels();
const random = (): Random => createRandom("gradients");
const filled = (source: Random, length: number): Float64Array => Float64Array.from(numbers(source, length));

/** How far a gradient is from central differences of the loss, as a part of the largest slope. */
function gradientError(loss: () => number, array: Float64Array, gradient: Float64Array): number {
  const step = 1e-5;
  const numeric = array.map((value, index) => {
    array[index] = value + step;
    const above = loss();
    array[index] = value - step;
    const below = loss();
    array[index] = value;
    return (above - below) / (2 * step);
  });
  return numeric.some((slope) => Math.abs(slope) > 1e-3) ? difference(gradient, numeric) : Infinity;
}

const dot = (a: Float64Array, b: Float64Array): number =>
  a.reduce((total, value, index) => total + value * (b[index] ?? 0), 0);

test("linear layers: inputs, weights and bias", () => {
  const source = random();
  const shape = { rows: 3, inputs: 5, outputs: 4 };
  const [input, weight, bias, outputGradient] = [15, 20, 4, 12].map((length) => filled(source, length)) as Four;
  const loss = (): number => {
    const out = new Float64Array(12);
    kernels.linear.forward({ ...shape, out, input, weight, bias });
    return dot(out, outputGradient);
  };
  const [inputGradient, weightGradient, biasGradient] = [
    new Float64Array(15),
    new Float64Array(20),
    new Float64Array(4),
  ];
  kernels.linear.backwardInput({ ...shape, inputGradient, outputGradient, weight });
  kernels.linear.backwardWeight({ ...shape, weightGradient, outputGradient, input });
  kernels.linear.backwardBias({ ...shape, biasGradient, outputGradient });
  expect(gradientError(loss, input, inputGradient)).toBeLessThan(tolerance);
  expect(gradientError(loss, weight, weightGradient)).toBeLessThan(tolerance);
  expect(gradientError(loss, bias, biasGradient)).toBeLessThan(tolerance);
});

test("norms: inputs and weights", () => {
  const source = random();
  const shape = { rows: 3, width: 6 };
  const [input, weight, outputGradient] = [18, 6, 18].map((length) => filled(source, length)) as Three;
  const [out, inverse] = [new Float64Array(18), new Float64Array(3)];
  const loss = (): number => {
    kernels.layer.normForward({ ...shape, epsilon: 1e-3, out, inverse, input, weight });
    return dot(out, outputGradient);
  };
  loss();
  const [inputGradient, weightGradient] = [new Float64Array(18), new Float64Array(6)];
  kernels.layer.normBackward({
    ...shape,
    inputGradient,
    weightGradient,
    outputGradient,
    input,
    inverse: inverse.slice(),
    weight,
  });
  expect(gradientError(loss, input, inputGradient)).toBeLessThan(tolerance);
  expect(gradientError(loss, weight, weightGradient)).toBeLessThan(tolerance);
});

test("rotary positions", () => {
  const source = random();
  const [values, cosine, sine, outputGradient] = [2 * 3 * 4, 10, 10, 24].map((length) =>
    filled(source, length),
  ) as Four;
  const rotation = { rows: 2, heads: 3, headWidth: 4, contextTokens: 5, cosine, sine, positions: Int32Array.of(4, 1) };
  const loss = (): number => {
    const copy = values.slice();
    kernels.layer.rotate({ ...rotation, values: copy, direction: "forward" });
    return dot(copy, outputGradient);
  };
  const gradient = outputGradient.slice();
  kernels.layer.rotate({ ...rotation, values: gradient, direction: "backward" });
  expect(gradientError(loss, values, gradient)).toBeLessThan(tolerance);
});

test("the gated activation: gate and up", () => {
  const source = random();
  const length = 9;
  const [gate, up, outputGradient] = [9, 9, 9].map((count) => filled(source, count)) as Three;
  const loss = (): number => {
    const out = new Float64Array(length);
    kernels.layer.swigluForward({ length, out, gate, up });
    return dot(out, outputGradient);
  };
  const [gateGradient, upGradient] = [new Float64Array(length), new Float64Array(length)];
  kernels.layer.swigluBackward({ length, gateGradient, upGradient, outputGradient, gate, up });
  expect(gradientError(loss, gate, gateGradient)).toBeLessThan(tolerance);
  expect(gradientError(loss, up, upGradient)).toBeLessThan(tolerance);
});

test("embeddings: a row that occurs twice gets both gradients", () => {
  const source = random();
  const shape = { rows: 4, width: 3, tableRows: 5, index: Int32Array.of(2, 0, 2, 4) };
  const [table, outputGradient] = [filled(source, 15), filled(source, 12)];
  const loss = (): number => {
    const out = new Float64Array(12);
    kernels.rows.gather({ ...shape, out, table });
    return dot(out, outputGradient);
  };
  const gradient = new Float64Array(15);
  kernels.rows.scatterAdd({ ...shape, table: gradient, input: outputGradient });
  expect(gradientError(loss, table, gradient)).toBeLessThan(tolerance);
});

test("attention: queries, keys and values of packed sequences with grouped heads", () => {
  const source = random();
  const shape = {
    heads: 4,
    keyHeads: 2,
    headWidth: 3,
    scale: 0.7,
    tokens: 7,
    starts: Int32Array.from(startsOf([4, 0, 3])),
  };
  const [queries, keys, values, outputGradient] = [84, 42, 42, 84].map((length) => filled(source, length)) as Four;
  const [out, logSum] = [new Float64Array(84), new Float64Array(28)];
  const loss = (): number => {
    kernels.attention.forward({ ...shape, out, logSum, queries, keys, values });
    return dot(out, outputGradient);
  };
  loss();
  const gradients = {
    queryGradient: new Float64Array(84),
    keyGradient: new Float64Array(42),
    valueGradient: new Float64Array(42),
  };
  const kept = { out: out.slice(), logSum: logSum.slice(), queries, keys, values };
  kernels.attention.backward({ ...shape, ...kept, ...gradients, outputGradient });
  expect(gradientError(loss, queries, gradients.queryGradient)).toBeLessThan(tolerance);
  expect(gradientError(loss, keys, gradients.keyGradient)).toBeLessThan(tolerance);
  expect(gradientError(loss, values, gradients.valueGradient)).toBeLessThan(tolerance);
});

test("the loss: hidden states and the output layer, each row at its own temperature", () => {
  const source = random();
  const shape = {
    rows: 3,
    width: 4,
    vocabulary: 7,
    targets: Int32Array.of(6, 0, 3),
    temperature: Float64Array.of(1, 0.7, 1.6),
  };
  const [hidden, weight, slope] = [12, 28, 3].map((length) => filled(source, length)) as Three;
  const [logprob, logSum] = [new Float64Array(3), new Float64Array(3)];
  const loss = (): number => {
    kernels.loss.forward({ ...shape, hidden, weight, logprob, logSum });
    return dot(logprob, slope);
  };
  loss();
  const [hiddenGradient, weightGradient] = [new Float64Array(12), new Float64Array(28)];
  kernels.loss.backward({ ...shape, hidden, weight, logSum: logSum.slice(), slope, hiddenGradient, weightGradient });
  expect(gradientError(loss, hidden, hiddenGradient)).toBeLessThan(tolerance);
  expect(gradientError(loss, weight, weightGradient)).toBeLessThan(tolerance);
});

type Three = [Float64Array, Float64Array, Float64Array];
type Four = [Float64Array, Float64Array, Float64Array, Float64Array];
