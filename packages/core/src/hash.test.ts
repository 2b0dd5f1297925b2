import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sha256, sha256Hex } from "./hash.ts";

const oracle = (text: string): string => createHash("sha256").update(text).digest("hex");

test("it is SHA-256 of the UTF-8 text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (text) => {
      expect(sha256Hex(text)).toBe(oracle(text));
    }),
  );
});

test("texts around the length of a block", () => {
  for (const length of [0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 1000]) {
    expect(sha256Hex("a".repeat(length))).toBe(oracle("a".repeat(length)));
  }
});

test("the words are the digits", () => {
  expect(Array.from(sha256("abc"), (word) => word.toString(16))).toEqual(
    "ba7816bf 8f01cfea 414140de 5dae2223 b00361a3 96177a9c b410ff61 f20015ad".split(" "),
  );
});
