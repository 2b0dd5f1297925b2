import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RolloutId, SampleId } from "./data.ts";
import { pack, packedColumns, type PackedRow } from "./pack.ts";
import { createRandom } from "./random.ts";
import { concatRuns, runsOf } from "./runs.ts";
import type { Sample } from "./sample.ts";

const sizes = fc.integer({ min: 1, max: 64 }).chain((rowTokens) =>
  fc.record({
    rowTokens: fc.constant(rowTokens),
    lengths: fc.array(fc.integer({ min: 0, max: rowTokens }), { maxLength: 60 }),
  }),
);
const total = (row: PackedRow): number => row.reduce((sum, part) => sum + part.length, 0);

function sampleOf(name: string, length: number): Sample {
  const column = (of: (at: number) => number): Float32Array => Float32Array.from({ length }, (_, at) => of(at));
  return {
    id: name as SampleId,
    rollout: "r" as RolloutId,
    agent: "agent",
    env: "e",
    branch: 0,
    tokens: Int32Array.from({ length }, (_, at) => 100 * name.charCodeAt(0) + at),
    weight: column((at) => at % 2),
    advantage: column((at) => at / 4),
    logprob: column((at) => -at),
    temperature: concatRuns([runsOf(0.5, Math.min(1, length)), runsOf(1, Math.max(0, length - 1))]),
    policyVersion: runsOf(0, length),
  };
}

describe("pack", () => {
  test("every sample is in exactly one row, whole", () => {
    fc.assert(
      fc.property(sizes, ({ lengths, rowTokens }) => {
        const parts = pack(lengths, { rowTokens }).flat();
        expect(parts.map((part) => part.sample).sort((a, b) => a - b)).toEqual(lengths.map((_, index) => index));
        for (const { sample, length } of parts) expect(length).toBe(lengths[sample]);
      }),
    );
  });

  test("no row holds more than it may, and its parts lie one after the other", () => {
    fc.assert(
      fc.property(sizes, ({ lengths, rowTokens }) => {
        for (const row of pack(lengths, { rowTokens })) {
          expect(total(row)).toBeLessThanOrEqual(rowTokens);
          let start = 0;
          for (const part of row) {
            expect(part.start).toBe(start);
            start += part.length;
          }
        }
      }),
    );
  });

  test("it is first-fit decreasing", () => {
    fc.assert(
      fc.property(sizes, ({ lengths, rowTokens }) => {
        const rows: { sample: number; start: number; length: number }[][] = [];
        const order = lengths.map((length, sample) => ({ length, sample }));
        for (const { length, sample } of order.sort((a, b) => b.length - a.length || a.sample - b.sample)) {
          let row = rows.find((row) => total(row) + length <= rowTokens);
          if (row === undefined) rows.push((row = []));
          row.push({ sample, start: total(row), length });
        }
        expect(pack(lengths, { rowTokens })).toEqual(rows);
      }),
    );
  });

  test("samples, their lengths and a column of lengths give the same rows", () => {
    const lengths = [3, 7, 2, 5, 5, 1];
    const rows = pack(lengths, { rowTokens: 8 });
    expect(pack(Int32Array.from(lengths), { rowTokens: 8 })).toEqual(rows);
    expect(
      pack(
        lengths.map((length, index) => sampleOf(`s${index}`, length)),
        { rowTokens: 8 },
      ),
    ).toEqual(rows);
    expect(rows.map((row) => row.map((part) => part.sample))).toEqual([
      [1, 5],
      [3, 0],
      [4, 2],
    ]);
  });

  test("nothing gives no rows", () => {
    expect(pack([], { rowTokens: 8 })).toEqual([]);
  });

  test("a sample longer than a row is an error that names it", () => {
    expect(() => pack([3, 9], { rowTokens: 8 })).toThrow("sample 1 has 9 tokens; a row holds 8");
    expect(() => pack([sampleOf("long/0", 9)], { rowTokens: 8 })).toThrow("sample 0 (long/0) has 9 tokens");
    expect(() => pack([2.5], { rowTokens: 8 })).toThrow("sample 0 has length 2.5");
    expect(() => pack([1], { rowTokens: 0 })).toThrow("rowTokens is 0");
  });

  test("many samples are packed without comparing each with each", () => {
    const random = createRandom("pack");
    const lengths = Array.from({ length: 200_000 }, () => 1 + random.integer(9));
    const rows = pack(lengths, { rowTokens: 64 });
    const needed = Math.ceil(lengths.reduce((sum, length) => sum + length, 0) / 64);
    expect(rows.length).toBe(needed);
  });
});

describe("packedColumns", () => {
  test("a row's columns are its samples', one after the other", () => {
    const samples = [sampleOf("a", 2), sampleOf("b", 3), sampleOf("c", 6)];
    const [first, second] = pack(samples, { rowTokens: 6 }).map((row) => packedColumns(samples, row));
    expect(first?.tokens).toEqual(samples[2]?.tokens);
    expect(second).toEqual({
      tokens: Int32Array.of(9800, 9801, 9802, 9700, 9701),
      weight: Float32Array.of(0, 1, 0, 0, 1),
      advantage: Float32Array.of(0, 0.25, 0.5, 0, 0.25),
      logprob: Float32Array.of(-0, -1, -2, -0, -1),
      temperature: Float32Array.of(0.5, 1, 1, 0.5, 1),
      positions: Int32Array.of(0, 1, 2, 0, 1),
      starts: Int32Array.of(0, 3),
    });
  });

  test("a row of other samples is refused", () => {
    const [row = []] = pack([3], { rowTokens: 4 });
    expect(() => packedColumns([sampleOf("a", 2)], row)).toThrow("it expects 3 tokens in sample 0");
    expect(() => packedColumns([], row)).toThrow("it expects 3 tokens in sample 0");
  });
});
