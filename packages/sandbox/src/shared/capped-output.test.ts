import fc from "fast-check";
import { expect, test } from "vitest";
import { CappedOutput, unfinishedTail } from "./capped-output.ts";

const printed = (text: string, limit: number, chunkBytes = 3): CappedOutput => {
  const bytes = new TextEncoder().encode(text);
  const output = new CappedOutput(limit);
  for (let at = 0; at < bytes.length; at += chunkBytes) output.add(bytes.subarray(at, at + chunkBytes));
  return output;
};

test("what fits is kept whole", () => {
  expect(printed("grün €", 100).finish()).toEqual({ text: "grün €", droppedBytes: 0 });
  expect(printed("abc", 3).finish()).toEqual({ text: "abc", droppedBytes: 0 });
});

test("what does not fit is counted", () => {
  expect(printed("abcdef", 4).finish()).toEqual({ text: "abcd", droppedBytes: 2 });
  expect(printed("abcdef", 0).finish()).toEqual({ text: "", droppedBytes: 6 });
});

test("the cut never splits a character, and what it takes away is counted", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(40), fc.integer({ min: 1, max: 7 }), (text, limit, chunk) => {
      const whole = Buffer.from(text).toString();
      const result = printed(whole, limit, chunk).finish();
      const kept = Buffer.byteLength(result.text);
      expect(whole.startsWith(result.text) && kept <= limit).toBe(true);
      expect(kept + result.droppedBytes).toBe(Buffer.byteLength(whole));
    }),
  );
});

test("bytes that are no text become replacement characters", () => {
  const output = new CappedOutput(10);
  output.add(Uint8Array.of(0x61, 0xff, 0x62));
  expect(output.finish()).toEqual({ text: "a\ufffdb", droppedBytes: 0 });
});

test("a byte order mark is text like any other", () => {
  expect(printed("\ufeffx", 10).finish().text).toBe("\ufeffx");
});

test("an unfinished character at the end is recognised by its first byte", () => {
  expect(unfinishedTail(Uint8Array.of(0x61, 0xe2, 0x82))).toBe(2);
  expect(unfinishedTail(Uint8Array.of(0xf0, 0x9f, 0x98))).toBe(3);
  expect(unfinishedTail(Uint8Array.of(0xe2, 0x82, 0xac))).toBe(0);
  expect(unfinishedTail(Uint8Array.of(0x80, 0x80, 0x80, 0x80))).toBe(0);
  expect(unfinishedTail(new Uint8Array())).toBe(0);
});
