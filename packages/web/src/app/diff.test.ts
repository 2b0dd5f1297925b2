import fc from "fast-check";
import { expect, test } from "vitest";
import { type Change, diff, diffTexts } from "./diff.ts";

const side = (changes: readonly Change[], kind: Change["kind"]): string =>
  changes.flatMap((change) => (change.kind === "same" || change.kind === kind ? change.parts : [])).join("");
const marked = (changes: readonly Change[]): string =>
  changes
    .map(({ kind, parts }) => (kind === "same" ? parts.join("") : `[${kind === "added" ? "+" : "-"}${parts.join("")}]`))
    .join("");

test("what is the same and removed is the first text, what is the same and added the second", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "é", "👍"), maxLength: 60 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const changes = diffTexts(before, after);
      expect([side(changes, "removed"), side(changes, "added")]).toEqual([before, after]);
    }),
  );
});

test("no more is changed than has to be", () => {
  const list = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 });
  fc.assert(
    fc.property(list, list, (before, after) => {
      const edits = diff(before, after).reduce((sum, { kind, parts }) => sum + (kind === "same" ? 0 : parts.length), 0);
      expect(edits).toBe(before.length + after.length - 2 * longestShared(before, after));
    }),
  );
});

test("a letter that is wrong stands out; in long texts it is the word", () => {
  expect(marked(diffTexts("olleh", "olheh"))).toBe("ol[-l][+h]eh");
  const long = "word ".repeat(100);
  expect(marked(diffTexts(`${long}cat.`, `${long}cart.`)).slice(-19)).toBe("word [-cat][+cart].");
});

test("answers that differ altogether are not torn into letters they happen to share", () => {
  expect(marked(diffTexts("It is the Neckar.", "the Wurm"))).toBe("[-It is ]the [-Neckar.][+Wurm]");
  expect(marked(diffTexts("red, green, blue", "one, two, blue"))).toBe("[-red, green][+one, two], blue");
});

test("texts that have nothing in common are told apart at once", () => {
  const many = (from: number): string[] => Array.from({ length: 5000 }, (_, index) => String(from + index));
  expect(diff(many(0), many(10_000)).map(({ kind }) => kind)).toEqual(["removed", "added"]);
});

function longestShared(a: readonly string[], b: readonly string[]): number {
  const table = a.map(() => b.map(() => 0));
  for (const [i, x] of a.entries()) {
    for (const [j, y] of b.entries()) {
      const own = x === y ? (table[i - 1]?.[j - 1] ?? 0) + 1 : Math.max(table[i - 1]?.[j] ?? 0, table[i]?.[j - 1] ?? 0);
      table[i]![j] = own;
    }
  }
  return table.at(-1)?.at(-1) ?? 0;
}
