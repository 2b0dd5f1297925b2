import fc from "fast-check";
import { expect, test } from "vitest";
import { isInlineImage, toBlocks, toPieces } from "./visible-text.ts";

const shown = (text: string): string =>
  toPieces(text)
    .map(({ text: plain, hidden }) => (hidden === undefined ? plain : `[${hidden}]`))
    .join("");

test("nothing is lost and nothing is added", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
      expect(
        toPieces(text)
          .map((piece) => piece.text)
          .join(""),
      ).toBe(text);
    }),
  );
});

test("characters that hide or reorder text are shown by name", () => {
  expect(shown("access\u202Etxt.exe")).toBe("access[RLO]txt.exe");
  expect(shown("a\u200Bb\u0000c\u001B[31m\r")).toBe("a[ZWSP]b[NUL]c[ESC][31m[CR]");
  expect(shown("\u2066x\u2069 \uFEFF \u{E0041}")).toBe("[LRI]x[PDI] [BOM] [U+E0041]");
  expect(shown("lone \uD83D")).toBe("lone [U+D83D]");
});

test("blocks are the text, none longer than asked for, and no character is torn apart", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "\n", "👍", "é"), maxLength: 80 });
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 20 }), (said, most) => {
      const blocks = toBlocks(said, most);
      expect(blocks.join("")).toBe(said);
      for (const block of blocks) expect([block.length <= most, /^[\uDC00-\uDFFF]/.test(block)]).toEqual([true, false]);
    }),
  );
  expect(toBlocks("one line\nanother line\n", 14)).toEqual(["one line\n", "another line\n"]);
  expect(toBlocks("", 5)).toEqual([""]);
});

test("what people write stays as it is", () => {
  for (const text of ["tab\tand\nlines", "שלום مرحبا", "e\u0301 ü", "👩‍💻 👍🏽", "<script>alert(1)</script>"])
    expect(shown(text)).toBe(text);
});

test("only pictures that carry their bytes and cannot run are drawn", () => {
  expect(isInlineImage("data:image/png;base64,iVBORw0KGgo=")).toBe(true);
  for (const url of [
    "https://example.com/a.png",
    "data:image/svg+xml;base64,PHN2Zz4=",
    "data:text/html,x",
    "javascript:alert(1)",
    "data:image/png;base64,<x>",
  ]) {
    expect(isInlineImage(url)).toBe(false);
  }
});
