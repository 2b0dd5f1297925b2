// More threads change the time, never the bits: large shapes, so that every kernel is really cut into parts.
import { createRandom } from "@hone/core";
import { afterAll, describe, expect, test } from "vitest";
import { kernelsOf } from "./kernels.ts";
import { referenceKernels } from "./reference.ts";
import { buildsHere } from "./testing/builds.ts";
import { difference, execute, firstDifference, numbers, type Scenario } from "./testing/scenario.ts";
import { scenarios } from "./testing/scenarios.ts";

const largeReach = 8;
const reference = referenceKernels();

describe.each(buildsHere())("on $name", ({ open }) => {
  const opened = [1, 2, 3].map((threads) => kernelsOf(open(threads)));
  afterAll(() => opened.forEach((kernels) => kernels.close()));

  test("it has the threads that were asked for", () => {
    expect(opened.map(({ info }) => info.threads)).toEqual([1, 2, 3]);
  });

  test.each(Object.entries(scenarios))("%s has the same bits with one, two and three threads", (_, make) => {
    for (const seed of [11, 12]) {
      const scenario = make(createRandom(seed), largeReach);
      const [first, ...others] = opened.map((kernels) => execute(kernels, scenario));
      for (const other of others)
        for (const name of Object.keys(scenario.floats))
          expect([name, firstDifference(other[name], first?.[name])]).toEqual([name, undefined]);
    }
  });

  test("a linear layer larger than every block gives what its definition says", () => {
    const random = createRandom("large");
    const shape = { rows: 210, inputs: 270, outputs: 1040 };
    const scenario: Scenario = {
      floats: {
        input: numbers(random, shape.rows * shape.inputs),
        weight: numbers(random, shape.outputs * shape.inputs),
        output: new Float32Array(shape.rows * shape.outputs),
      },
      run: ({ linear }, { float }) => {
        const [input, weight, output] = [float("input"), float("weight"), float("output")];
        linear.forward({ ...shape, out: output, input, weight });
        linear.backwardInput({ ...shape, inputGradient: input, outputGradient: output, weight });
        linear.backwardWeight({ ...shape, weightGradient: weight, outputGradient: output, input });
      },
    };
    const [actual, expected] = [execute(opened[1] ?? reference, scenario), execute(reference, scenario)];
    for (const name of ["output", "input", "weight"])
      expect(difference(actual[name], expected[name])).toBeLessThan(1e-4);
  });

  test("thousands of small calls on several threads all return", () => {
    const kernels = opened[2] ?? opened[0]!;
    const values = kernels.memory.floats(50_000).fill(1);
    for (let call = 0; call < 5000; call++) kernels.optimizer.scale({ values, factor: call % 2 === 0 ? 2 : 0.5 });
    expect(values.every((value) => value === 1)).toBe(true);
  });
});
