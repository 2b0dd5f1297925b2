import { afterAll, describe, expect, test } from "vitest";
import { kernelsOf } from "../kernel/kernels.ts";
import type { Floats } from "../kernel/memory.ts";
import { referenceKernels } from "../kernel/reference.ts";
import { buildsHere } from "../kernel/testing/builds.ts";
import { type NamedParameter, parametersOf } from "./assemble.ts";
import { packedLoss } from "./testing/packed-loss.ts";
import { smallConfig, smallDecoder, smallFamilies, smallLora } from "./testing/small-decoders.ts";
import type { PolicyWeights } from "./weights.ts";

const exact = referenceKernels();

interface Trained {
  readonly policy: PolicyWeights<Floats>;
  readonly parameters: readonly Pick<NamedParameter<Floats>, "name" | "values">[];
}

function full(family: (typeof smallFamilies)[number]): Trained {
  const decoder = smallDecoder(exact, smallConfig(family));
  return { policy: { version: 0, decoder }, parameters: parametersOf(decoder) };
}

function adapted(family: (typeof smallFamilies)[number]): Trained {
  const decoder = smallDecoder(exact, smallConfig(family));
  const adapter = smallLora(exact, decoder);
  const parameters = [...adapter.parts].flatMap(([name, { a, b }]) => [
    { name: `${name}.a`, values: a },
    { name: `${name}.b`, values: b },
  ]);
  return { policy: { version: 0, decoder, adapter }, parameters };
}

function gradientsOf({ policy, parameters }: Trained, isRecomputing: boolean): ReadonlyMap<Floats, Floats> {
  const gradients = new Map(parameters.map(({ values }) => [values, exact.memory.floats(values.length)]));
  packedLoss(exact, policy, { gradients, isRecomputing });
  return gradients;
}

/** Against a central difference, relative, at the largest and another entry of each parameter. */
function worstDifference(trained: Trained): { readonly where: string; readonly error: number } {
  const gradients = gradientsOf(trained, false);
  let worst = { where: "", error: 0 };
  for (const { name, values } of trained.parameters) {
    const gradient = gradients.get(values)!;
    const largest = [...gradient].reduce(
      (best, value, at) => (Math.abs(value) > Math.abs(gradient[best]!) ? at : best),
      0,
    );
    for (const at of new Set([largest, Math.floor(values.length * 0.7)])) {
      const kept = values[at]!;
      const lossAt = (value: number): number => {
        values[at] = value;
        return packedLoss(exact, trained.policy).loss;
      };
      const step = 1e-5;
      const difference = (lossAt(kept + step) - lossAt(kept - step)) / (2 * step);
      values[at] = kept;
      const error = Math.abs(gradient[at]! - difference) / (1 + Math.abs(difference));
      if (!(error <= worst.error)) worst = { where: `${name}[${at}]`, error };
    }
  }
  return worst;
}

describe.each(smallFamilies)("%s", (family) => {
  test("gradients of all weights are those of finite differences in double precision", () => {
    expect(worstDifference(full(family)).error).toBeLessThan(1e-6);
  });
  test("so are those of an adapter on every linear layer", () => {
    expect(worstDifference(adapted(family)).error).toBeLessThan(1e-6);
  });
  test("computing layers again gives the same gradients", () => {
    const trained = full(family);
    const [kept, recomputed] = [gradientsOf(trained, false), gradientsOf(trained, true)];
    for (const { values } of trained.parameters) expect(recomputed.get(values)).toEqual(kept.get(values));
  });
});

describe.each(buildsHere())("$name", ({ open }) => {
  const kernels = kernelsOf(open(1));
  afterAll(() => kernels.close());

  test.each(smallFamilies)("%s: logprobs and gradients are those of the reference", (family) => {
    const trained = full(family);
    const expected = { ...packedLoss(exact, trained.policy), gradients: gradientsOf(trained, false) };
    const decoder = smallDecoder(kernels, smallConfig(family));
    const gradients = new Map(
      parametersOf(decoder).map(({ values }) => [values, kernels.memory.floats(values.length)]),
    );
    const actual = packedLoss(kernels, { version: 0, decoder }, { gradients });
    for (const [index, value] of actual.logprobs.entries()) expect(value).toBeCloseTo(expected.logprobs[index]!, 4);
    for (const [index, { name, values }] of parametersOf(decoder).entries()) {
      const wanted = expected.gradients.get(trained.parameters[index]!.values)!;
      const largest = Math.max(1e-3, ...[...wanted].map(Math.abs));
      const error = gradients
        .get(values)!
        .reduce((most, value, at) => Math.max(most, Math.abs(value - wanted[at]!)), 0);
      expect({ name, error: error / largest }).toEqual({ name, error: expect.closeTo(0, 4) });
    }
  });
});
