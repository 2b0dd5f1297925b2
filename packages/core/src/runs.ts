// Run-length columns: a value per token that changes rarely (temperature, policy version) costs two numbers per change.
// Invariant: `lengths` are positive, neighbouring values differ, the lengths sum to the column's length.
import * as z from "zod";

export interface Runs<Value> {
  readonly values: readonly Value[];
  readonly lengths: readonly number[];
}

export function runsOf<Value>(value: Value, length: number): Runs<Value> {
  return length === 0 ? { values: [], lengths: [] } : { values: [value], lengths: [length] };
}

export function runsLength(runs: Runs<unknown>): number {
  return runs.lengths.reduce((sum, length) => sum + length, 0);
}

/** One after the other; runs of one value that meet become one. */
export function concatRuns<Value>(parts: readonly Runs<Value>[]): Runs<Value> {
  const joined: GrowingRuns<Value> = { values: [], lengths: [] };
  for (const { values, lengths } of parts) {
    for (let index = 0; index < values.length; index++) appendRun(joined, values[index] as Value, lengths[index] ?? 0);
  }
  return joined;
}

/** Runs being written. */
export interface GrowingRuns<Value> {
  readonly values: Value[];
  readonly lengths: number[];
}

export function appendRun<Value>({ values, lengths }: GrowingRuns<Value>, value: Value, length: number): void {
  if (length === 0) return;
  const last = lengths.length - 1;
  if (last >= 0 && values[last] === value) lengths[last] = lengths[last]! + length;
  else {
    values.push(value);
    lengths.push(length);
  }
}

/** The value at each position, in order. */
export function* expandRuns<Value>(runs: Runs<Value>): Generator<Value> {
  for (const [index, value] of runs.values.entries()) {
    for (let left = runs.lengths[index] ?? 0; left > 0; left--) yield value;
  }
}

export function runsSchema<Value>(value: z.ZodType<Value>): z.ZodType<Runs<Value>> {
  return z
    .strictObject({ values: z.array(value), lengths: z.array(z.int().positive()) })
    .refine((runs) => runs.values.length === runs.lengths.length, "as many values as lengths");
}
