import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rewrite } from "./rewrite.ts";
import type { Row } from "./row.ts";
import { relativeRows } from "./rows.ts";

const context = { groupSize: 4, usesWandb: true };

describe("rows on a document", () => {
  const rows: readonly Row[] = [
    { from: "old.a", to: "new.a" },
    { from: "old.b", to: "c", convert: (value, { groupSize }) => Number(value) * groupSize },
    { from: "list.x", to: "list.y" },
    { from: "two", expand: (value) => ({ "new.one": value, "env.*.turns": value }) },
    { from: "gone", reason: "nothing like it" },
    {
      from: "bad",
      to: "good",
      convert: () => {
        throw new TypeError("not this");
      },
    },
  ];

  test("keys move, also in each item of an array, and tables that this empties go", () => {
    const source = { old: { a: 1, b: 2 }, list: [{ x: 1 }, { x: 2, z: 3 }] };
    expect(rewrite(source, rows, context)).toEqual({
      document: { new: { a: 1 }, c: 8, list: [{ y: 1 }, { z: 3, y: 2 }] },
      dropped: [],
    });
    expect(source).toEqual({ old: { a: 1, b: 2 }, list: [{ x: 1 }, { x: 2, z: 3 }] });
  });

  test("one key may become several, in every environment", () => {
    const { document } = rewrite({ two: 5, env: [{ id: "a" }, { id: "b", turns: 1 }] }, rows, context);
    expect(document).toEqual({
      new: { one: 5 },
      env: [
        { id: "a", turns: 5 },
        { id: "b", turns: 1 },
      ],
    });
  });

  test("what has no counterpart is listed leaf by leaf, a refused value with its reason", () => {
    expect(rewrite({ gone: { a: 1, b: { c: 2 } }, bad: 1 }, rows, context)).toEqual({
      document: {},
      dropped: [
        { key: "gone.a", reason: "nothing like it" },
        { key: "gone.b.c", reason: "nothing like it" },
        { key: "bad", reason: "not this" },
      ],
    });
  });

  test("what is set already stays, and tables merge", () => {
    expect(rewrite({ old: { a: 1 }, new: { a: 2 } }, rows, context)).toEqual({
      document: { new: { a: 2 } },
      dropped: [{ key: "old.a", reason: "new.a is set to another value already: 2" }],
    });
    const tables: readonly Row[] = [{ from: "x", to: "y" }];
    expect(rewrite({ x: { a: 1 }, y: { b: 2 } }, tables, context).document).toEqual({ y: { b: 2, a: 1 } });
    expect(rewrite({ x: { a: 1 }, y: { a: 1 } }, tables, context)).toEqual({ document: { y: { a: 1 } }, dropped: [] });
  });
});

test("a key that no table knows is not lost in silence: it is in the result, or listed", () => {
  const names = relativeRows.map(({ from }) => from).filter((from) => !/^(?:env|eval\.env|verifiers)\b/.test(from));
  const parents = names.flatMap((name) => name.split(".").map((_, end, keys) => keys.slice(0, end).join(".")));
  const tables = [...new Set(parents)].filter((table) => table !== "");
  fc.assert(
    fc.property(fc.constantFrom(...tables), fc.constantFrom(...names), (table, name) => {
      const source = {};
      put(source, name.split("."), 3);
      put(source, [...table.split("."), "unheard"], 987654);
      const { document, dropped } = rewrite(source, relativeRows, context);
      const isListed = dropped.some(({ key, reason }) => reason !== "" && (key.endsWith(".unheard") || key === table));
      expect(isListed || JSON.stringify(document).includes("987654")).toBe(true);
    }),
    { numRuns: 300 },
  );
});

function put(root: { [key: string]: unknown }, [key = "", ...rest]: readonly string[], value: number): void {
  if (rest.length === 0) {
    root[key] ??= value;
    return;
  }
  if (typeof root[key] !== "object") root[key] = {};
  put(root[key] as { [key: string]: unknown }, rest, value);
}
