import * as fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { concatRuns, expandRuns, runsLength, runsOf, runsSchema } from "./runs.ts";

const column = fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 30 });
const compress = (values: readonly number[]) => concatRuns(values.map((value) => runsOf(value, 1)));

test("a column that is compressed and expanded is the same column", () => {
  fc.assert(
    fc.property(column, (values) => {
      expect([...expandRuns(compress(values))]).toEqual(values);
      expect(runsLength(compress(values))).toBe(values.length);
    }),
  );
});

test("neighbouring runs differ and none is empty", () => {
  fc.assert(
    fc.property(column, (column) => {
      const { values, lengths } = compress(column);
      expect(lengths).toHaveLength(values.length);
      expect(lengths.every((length) => length > 0)).toBe(true);
      expect(values.every((value, index) => index === 0 || value !== values[index - 1])).toBe(true);
    }),
  );
});

test("joining columns is joining their runs", () => {
  fc.assert(
    fc.property(fc.array(column, { maxLength: 5 }), (columns) => {
      expect(concatRuns(columns.map(compress))).toEqual(compress(columns.flat()));
    }),
  );
});

test("a run of nothing is no run", () => {
  expect(runsOf(1, 0)).toEqual({ values: [], lengths: [] });
  expect(concatRuns([runsOf(1, 2), { values: [5], lengths: [0] }, runsOf(1, 1)])).toEqual(runsOf(1, 3));
});

test("runs read from a file have a length for every value", () => {
  const schema = runsSchema(z.number());
  expect(schema.parse({ values: [1, 2], lengths: [3, 4] })).toEqual({ values: [1, 2], lengths: [3, 4] });
  expect(schema.safeParse({ values: [1, 2], lengths: [3] }).success).toBe(false);
  expect(schema.safeParse({ values: [1], lengths: [0] }).error?.issues[0]?.path).toEqual(["lengths", 0]);
  expect(schema.safeParse({ values: ["a"], lengths: [1] }).error?.issues[0]?.path).toEqual(["values", 0]);
});
