import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { difflibRatio, levenshtein, tokenF1 } from "./similarity.ts";

// __fixtures__/difflib.json holds [a, b, ratio], made once with CPython 3.11:
// difflib.SequenceMatcher(None, a, b).ratio() by __fixtures__/make-difflib.py,
// over random and edited strings: two letters, Latin, emoji and combining marks, reversals, and 198 to 380 characters where autojunk begins.
const fixtures = JSON.parse(readFileSync(new URL("./__fixtures__/difflib.json", import.meta.url), "utf8")) as [
  string,
  string,
  number,
][];

describe("difflibRatio", () => {
  test("equals Python's difflib on every fixture, to the last bit", () => {
    expect(fixtures.length).toBeGreaterThan(250);
    expect(fixtures.map(([a, b]) => [a, b, difflibRatio(a, b)])).toEqual(fixtures);
  });

  test("from 200 characters on, a popular character no longer starts a match", () => {
    const shorter = `${"ab".repeat(99)}a`;
    expect(difflibRatio("xab", shorter)).toBe((2 * 2) / (3 + 199));
    expect(difflibRatio("xab", `${shorter}b`)).toBe(0);
  });

  test("an emoji is one character", () => {
    expect(difflibRatio("a🙂", "🙂b")).toBe(0.5);
  });

  test("a text is as like itself as can be, and two empty ones are alike", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "b", "é", "🙂", "\ud800"), maxLength: 300 }),
        (text) => difflibRatio(text, text) === 1,
      ),
    );
    expect(difflibRatio("", "")).toBe(1);
  });

  test("lies between nothing in common and the bound that character counts give", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 260 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const ratio = difflibRatio(a, b);
        const counts = (of: string): number[] => ["a", "b", "c"].map((letter) => of.split(letter).length - 1);
        const common = counts(a).reduce((sum, count, index) => sum + Math.min(count, counts(b)[index] ?? 0), 0);
        const bound = a.length + b.length === 0 ? 1 : (2 * common) / (a.length + b.length);
        expect(ratio).toBeGreaterThanOrEqual(0);
        expect(ratio).toBeLessThanOrEqual(bound);
      }),
    );
  });
});

describe("levenshtein", () => {
  test("counts the fewest edits, in characters as people see code points", () => {
    expect(levenshtein("kitten", "sitting")).toBe(3);
    expect(levenshtein("", "abc")).toBe(3);
    expect(levenshtein("🙂", "a")).toBe(1);
    expect(levenshtein("abcabc", "abc")).toBe(3);
  });

  test("is a distance: zero for equals only, symmetric, and never shorter by a detour", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "🙂"), maxLength: 12 });
    fc.assert(
      fc.property(text, text, text, (a, b, c) => {
        expect(levenshtein(a, b)).toBe(levenshtein(b, a));
        expect(levenshtein(a, b) === 0).toBe(a === b);
        expect(levenshtein(a, c)).toBeLessThanOrEqual(levenshtein(a, b) + levenshtein(b, c));
      }),
    );
  });

  test("agrees with the textbook recurrence", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 7 });
    const slow = (a: string, b: string): number =>
      a === "" || b === ""
        ? a.length + b.length
        : a.at(-1) === b.at(-1)
          ? slow(a.slice(0, -1), b.slice(0, -1))
          : 1 + Math.min(slow(a.slice(0, -1), b), slow(a, b.slice(0, -1)), slow(a.slice(0, -1), b.slice(0, -1)));
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(levenshtein(a, b)).toBe(slow(a, b));
      }),
    );
  });
});

describe("tokenF1", () => {
  test("ignores case, punctuation and articles", () => {
    expect(tokenF1("The Eiffel Tower!", "an eiffel tower")).toBe(1);
    expect(tokenF1("the cat, again", "dog")).toBe(0);
  });

  test("weighs precision against recall, and counts repeated words once each", () => {
    expect(tokenF1("in Paris France", "Paris")).toBe(0.5);
    expect(tokenF1("no no no", "no")).toBe(0.5);
  });

  test("two answers without words agree, one without words never does", () => {
    expect(tokenF1("the", "...")).toBe(1);
    expect(tokenF1("", "Paris")).toBe(0);
    expect(tokenF1("Paris", "")).toBe(0);
  });

  test("an article inside a word stays", () => {
    expect(tokenF1("theatre", "atre")).toBe(0);
    expect(tokenF1("thé", "é")).toBe(0);
  });
});
