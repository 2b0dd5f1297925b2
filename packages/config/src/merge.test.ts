import type { JsonObject } from "@hone/core";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { mergeTables } from "./merge.ts";
import { fromPlain, type Table, toPlain } from "./tree.ts";

const scalar = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 2 }));
/** As a schema would have it: "t" and `__proto__` are tables wherever they occur, "a" and "b" never are. */
const json = fc.letrec<{ table: JsonObject }>((tie) => ({
  table: fc.record(
    {
      a: scalar,
      b: scalar,
      t: fc.oneof({ maxDepth: 3 }, fc.constant({}), tie("table")),
      ["__proto__"]: fc.oneof({ maxDepth: 3 }, fc.constant({}), tie("table")),
    },
    { requiredKeys: [], noNullPrototype: true },
  ),
})).table;

const table = (value: JsonObject): Table => fromPlain(value, undefined) as Table;
const merge = (...values: JsonObject[]): JsonObject => toPlain(values.map(table).reduce(mergeTables));

test("tables merge, arrays and scalars are replaced by the later", () => {
  expect(merge({ a: { x: 1, y: [1, 2] }, b: 1 }, { a: { y: [3], z: 2 }, b: { c: 1 } })).toEqual({
    a: { x: 1, y: [3], z: 2 },
    b: { c: 1 },
  });
  expect(merge({ a: [{ x: 1 }] }, { a: [{ y: 1 }] })).toEqual({ a: [{ y: 1 }] });
  expect(merge({ a: { b: 1 } }, { a: 2 })).toEqual({ a: 2 });
});

test("an empty file changes nothing", () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(merge(value, {})).toEqual(value);
      expect(merge({}, value)).toEqual(value);
    }),
  );
});

test("grouping does not matter", () => {
  fc.assert(
    fc.property(json, json, json, (a, b, c) => {
      expect(merge(merge(a, b), c)).toEqual(merge(a, merge(b, c)));
    }),
  );
});

test("a file over itself is itself", () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(merge(value, value)).toEqual(value);
    }),
  );
});

test("merging a file again changes nothing", () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      const merged = merge(a, b);
      expect(merge(merged, b)).toEqual(merged);
    }),
  );
});
