// One use of a kernel with all its arrays, to be run on any build: tests compare what is in the arrays afterwards.
// Inputs are rounded to single precision before, so that every build and the reference start from the same numbers.
import type { Random } from "@hone/core";
import type { Kernels } from "../kernels.ts";
import type { Floats } from "../memory.ts";

export interface Arrays<F> {
  /** By name; a name that the scenario did not fill is an error of the test. */
  readonly float: (name: string) => F;
  readonly int: (name: string) => Int32Array;
}

export interface Scenario {
  readonly floats: Readonly<Record<string, Float32Array>>;
  readonly ints?: Readonly<Record<string, readonly number[]>>;
  run<F extends Floats>(kernels: Kernels<F>, arrays: Arrays<F>): void;
}

/** A scenario with random shapes; `reach` scales them. */
export type ScenarioMaker = (random: Random, reach: number) => Scenario;

/** The contents of all float arrays after a run. */
export type Result = Readonly<Record<string, Floats>>;

export function execute<F extends Floats>(kernels: Kernels<F>, scenario: Scenario): Result {
  const floats = fill(scenario.floats, (length) => kernels.memory.floats(length));
  const ints = fill(scenario.ints ?? {}, (length) => kernels.memory.ints(length));
  const named = <Value>(values: ReadonlyMap<string, Value>, name: string): Value => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`the scenario has no array ${name}`);
    return value;
  };
  try {
    scenario.run(kernels, { float: (name) => named(floats, name), int: (name) => named(ints, name) });
    return Object.fromEntries([...floats].map(([name, array]) => [name, array.slice() as Floats]));
  } finally {
    for (const array of [...floats.values(), ...ints.values()]) kernels.memory.release(array);
  }
}

function fill<Target extends Floats | Int32Array>(
  values: Readonly<Record<string, ArrayLike<number>>>,
  allocate: (length: number) => Target,
): Map<string, Target> {
  const arrays = new Map<string, Target>();
  for (const [name, numbers] of Object.entries(values)) {
    const array = allocate(numbers.length);
    array.set(numbers);
    arrays.set(name, array);
  }
  return arrays;
}

/** Numbers from -size to size. */
export function numbers(random: Random, length: number, size = 1): Float32Array {
  const array = new Float32Array(length);
  for (let index = 0; index < length; index++) array[index] = (2 * random.next() - 1) * size;
  return array;
}

/** A whole number from least to most. */
export function between(random: Random, least: number, most: number): number {
  return least + random.integer(Math.floor(most) - least + 1);
}

/** The largest difference, as a part of the largest number that was expected. Infinite where only one side is not a number. */
export function difference(actual: Floats | undefined, expected: Floats | undefined): number {
  if (actual === undefined || expected === undefined || actual.length !== expected.length) return Infinity;
  let [worst, size] = [0, 1e-3];
  for (let index = 0; index < expected.length; index++) {
    const [value, other] = [expected[index] ?? 0, actual[index] ?? 0];
    if (Number.isNaN(other) !== Number.isNaN(value)) return Infinity;
    if (Number.isNaN(value) || other === value) continue;
    worst = Math.max(worst, Math.abs(other - value));
    size = Math.max(size, Math.abs(value));
  }
  return worst / size;
}

/** The first place where two arrays are not the same number; undefined where there is none. */
export function firstDifference(actual: Floats | undefined, expected: Floats | undefined): string | undefined {
  if (actual === undefined || actual.length !== expected?.length) return "their lengths differ";
  for (let index = 0; index < actual.length; index++)
    if (!Object.is(actual[index], expected[index])) return `${actual[index]} and ${expected[index]} at ${index}`;
  return undefined;
}
