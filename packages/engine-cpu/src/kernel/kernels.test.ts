// Every kernel on every build against the reference in double precision, on random shapes.
import { createRandom } from "@hone/core";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { kernelsOf } from "./kernels.ts";
import { referenceKernels } from "./reference.ts";
import { buildsHere } from "./testing/builds.ts";
import { difference, execute } from "./testing/scenario.ts";
import { scenarios, smallReach } from "./testing/scenarios.ts";

const tolerance = 2e-5; // of the largest number in an array: single precision over a few hundred terms
const reference = referenceKernels();

describe("kernels on every build", () => {
  const opened = buildsHere().map(({ name, open }) => ({ name, kernels: kernelsOf(open(1)) }));
  afterAll(() => opened.forEach(({ kernels }) => kernels.close()));

  test.each(Object.entries(scenarios))("%s gives what its definition says, whatever the shape", (_, make) => {
    const seeds = fc.integer({ min: 0, max: 1e9 });
    const property = fc.property(seeds, (seed) => {
      const scenario = make(createRandom(seed), smallReach);
      const expected = execute(reference, scenario);
      for (const { name, kernels } of opened) {
        const actual = execute(kernels, scenario);
        for (const array of Object.keys(scenario.floats)) {
          if (array.endsWith("Pages")) continue; // their layout is the kernels' own affair
          expect(difference(actual[array], expected[array]), `${array} on ${name}`).toBeLessThan(tolerance);
        }
      }
    });
    fc.assert(property, { numRuns: 8, seed: 1 });
  });

  test.each(opened)("$name gives memory that is zero, aligned, and can be given back", ({ kernels: { memory } }) => {
    const before = memory.usedBytes;
    const arrays = [memory.floats(1000), memory.ints(3), memory.halves(5), memory.floats(0)];
    expect(memory.usedBytes).toBeGreaterThan(before);
    for (const array of arrays) {
      expect(array.every((value) => value === 0)).toBe(true);
      array.fill(1);
      memory.release(array);
    }
    expect(memory.usedBytes).toBe(before);
    const again = memory.floats(1000);
    expect(again.every((value) => value === 0)).toBe(true);
    memory.release(again);
  });
});
