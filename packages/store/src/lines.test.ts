import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LineSplitter, type RawLine } from "./lines.ts";

function split(bytes: Buffer, sizes: readonly number[], longest?: number): RawLine[] {
  const splitter = new LineSplitter({ byte: 0, line: 1 }, longest);
  const lines: RawLine[] = [];
  let at = 0;
  for (let index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    // The chunk is wiped afterwards, as a reused one would be.
    const chunk = Buffer.from(bytes.subarray(at, at + size));
    lines.push(...splitter.push(chunk));
    chunk.fill(0);
    at += size;
  }
  return lines;
}

const chunkSizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

test("lines do not depend on how the bytes arrive, and each knows its place", () => {
  const line = fc.string({ unit: "binary", maxLength: 12 }).map((text) => text.replaceAll("\n", ""));
  fc.assert(
    fc.property(fc.array(line), line, chunkSizes, (whole, torn, sizes) => {
      const bytes = Buffer.from(whole.map((text) => `${text}\n`).join("") + torn);
      const lines = split(bytes, sizes);
      expect(lines.map(({ text }) => text)).toEqual(whole);
      for (const [index, { text, line, byte, nextByte }] of lines.entries()) {
        expect(line).toBe(index + 1);
        expect(bytes.toString("utf8", byte, nextByte)).toBe(`${text}\n`);
      }
    }),
  );
});

test("a line that is too long is skipped in bounded memory, the next one is whole", () => {
  fc.assert(
    fc.property(chunkSizes, (sizes) => {
      const lines = split(Buffer.from("ab\n0123456789\ncd\n"), sizes, 4);
      expect(lines.map(({ text }) => text)).toEqual(["ab", undefined, "cd"]);
      expect(lines[2]?.byte).toBe(14);
    }),
  );
});
