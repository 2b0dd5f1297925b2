import { expect, test } from "vitest";
import { columns, wrap } from "./columns.ts";

test("columns line up, painted or not, and lines have no spaces at their end", () => {
  const bold = (text: string): string => `\u001B[1m${text}\u001B[22m`;
  const rows = [
    ["a", "long cell", "x"],
    [bold("bbb"), "c", ""],
  ];
  expect(columns(rows, { indent: "  " })).toBe(`  a    long cell  x\n  ${bold("bbb")}  c\n`);
  expect(
    columns(
      [
        ["n", "1"],
        ["m", "100"],
      ],
      { right: [1] },
    ),
  ).toBe("n    1\nm  100\n");
  expect(columns([])).toBe("");
});

test("text is broken at spaces, and a long word stands alone", () => {
  expect(wrap("one two three", 7)).toEqual(["one two", "three"]);
  expect(wrap("a verylongword b", 5)).toEqual(["a", "verylongword", "b"]);
  expect(wrap("first\n\nlast", 20)).toEqual(["first", "", "last"]);
});
