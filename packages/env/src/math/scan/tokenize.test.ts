import { expect, test } from "vitest";
import { firstReading } from "./token.ts";
import { tokenize } from "./tokenize.ts";

const texts = (source: string): string[] =>
  tokenize(source, firstReading)
    .map(({ text }) => text)
    .slice(0, -1);
const numbers = (source: string, reading = firstReading): string[] =>
  tokenize(source, reading).flatMap((token) =>
    token.kind === "number" ? [`${token.value.numerator}/${token.value.denominator}`] : [],
  );

test("synonyms become one name and layout is gone", () => {
  expect(texts("\\dfrac{1}{2}\\leq\\left(x\\right.")).toEqual(["frac", "{", "1", "}", "{", "2", "}", "<=", "(", "x"]);
  expect(texts("\\quad x\\,\\!y\\hspace{2em}")).toEqual(["x", "y"]);
  expect(texts("a ** b != c")).toEqual(["a", "^", "b", "!=", "c"]);
});

test("the arguments of \\frac may be single digits", () => {
  expect(texts("\\frac12")).toEqual(["frac", "1", "2"]);
  expect(texts("\\frac{1}23")).toEqual(["frac", "{", "1", "}", "2", "3"]);
  expect(texts("\\frac\\pi42")).toEqual(["frac", "pi", "4", "2"]);
});

test("digits are joined over marks of thousands, not over the commas of a tuple", () => {
  expect(numbers("1,234,567")).toEqual(["1234567/1"]);
  expect(numbers("1{,}234")).toEqual(["1234/1"]);
  expect(numbers("(1,234)")).toEqual(["1/1", "234/1"]);
  expect(numbers("1,23")).toEqual(["1/1", "23/1"]);
  expect(numbers("1,234", { ...firstReading, groupsThousands: false })).toEqual(["1/1", "234/1"]);
});

test("powers of ten, repeating decimals and bases are one number", () => {
  expect(numbers("1.5e3")).toEqual(["1500/1"]);
  expect(numbers("2e-2", { ...firstReading, isScientific: false })).toEqual(["2/1", "2/1"]);
  expect(numbers("0.1\\overline{6}")).toEqual(["1/6"]);
  expect(numbers("1A_{16}")).toEqual(["26/1"]);
  expect(numbers("12_2")).toEqual(["12/1", "2/1"]);
});

test("words are told from letters", () => {
  expect(texts("2sinx")).toEqual(["2", "sin", "x"]);
  expect(texts("xyz")).toEqual(["x", "y", "z"]);
  expect(texts("5 square feet")).toEqual(["5", "square feet"]);
  expect(texts("x or y")).toEqual(["x", "or", "y"]);
  expect(texts("\\text{if } x")).toEqual(["if", "x"]);
});
