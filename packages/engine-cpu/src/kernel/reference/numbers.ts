// Matrices of the reference: everything is computed in double precision and rounded only when a Float32Array stores it.
import type { Floats } from "../memory.ts";

/** An element that is there: callers stay inside the shapes they were given. */
export function at(values: ArrayLike<number>, index: number): number {
  const value = values[index];
  if (value === undefined) throw new RangeError(`index ${index} of ${values.length}`);
  return value;
}

export function add(values: Floats, index: number, value: number): void {
  values[index] = at(values, index) + value;
}

/** sum of term(0) to term(count - 1) */
export function sum(count: number, term: (index: number) => number): number {
  let total = 0;
  for (let index = 0; index < count; index++) total += term(index);
  return total;
}

/** log(sum(exp(terms))) */
export function logSumExp(count: number, term: (index: number) => number): number {
  let most = -Infinity;
  for (let index = 0; index < count; index++) most = Math.max(most, term(index));
  return most + Math.log(sum(count, (index) => Math.exp(term(index) - most)));
}
