import fc from "fast-check";
import { expect, test } from "vitest";
import { createStreamDecoder } from "./stream-decoder.ts";
import { createByteTokenizer } from "./tokenizer.ts";

const tokenizer = createByteTokenizer(["<|im_end|>"]);

test("the bytes of a split character are held back until it is whole", () => {
  const decoder = createStreamDecoder(tokenizer);
  const pieces = [...tokenizer.encode("aé👍z")].map((id) => decoder.push(id));
  expect(pieces).toEqual(["a", "", "é", "", "", "", "👍", "z"]);
  expect(decoder.end()).toBe("");
});

test("bytes that never become a character come out at the end", () => {
  const decoder = createStreamDecoder(tokenizer);
  expect(decoder.push(0xf0) + decoder.push(0x9f)).toBe("");
  expect(decoder.end()).toBe("\uFFFD");
  expect(decoder.end()).toBe("");
});

test("the pieces join to what decoding all ids gives", () => {
  const id = fc.oneof(fc.integer({ min: 0, max: 258 }), fc.constantFrom(0xf0, 0x9f, 0x91, 0x8d, 0xef, 0xbf, 0xbd));
  fc.assert(
    fc.property(fc.array(id, { maxLength: 80 }), (ids) => {
      const decoder = createStreamDecoder(tokenizer);
      expect(ids.map((one) => decoder.push(one)).join("") + decoder.end()).toBe(tokenizer.decode(ids));
    }),
  );
});
