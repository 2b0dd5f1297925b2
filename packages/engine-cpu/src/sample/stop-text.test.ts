// Stop strings in text that comes token by token, with characters split over tokens and decoders that eat a leading space.
import fc from "fast-check";
import { expect, test } from "vitest";
import { StopText } from "./stop-text.ts";

const decoder = new TextDecoder();
const byteText = (ids: Int32Array): string => decoder.decode(Uint8Array.from(ids));
/** As sentence-piece decoders do: the space before the first word is none. */
const spacedText = (ids: Int32Array): string => byteText(ids).replace(/^ /, "");

/** After how many tokens the text is stopped; Infinity where it is not. */
function stoppedAfter(bytes: readonly number[], stopStrings: readonly string[], textOf = byteText): number {
  const from = 3;
  const tokens = Int32Array.of(65, 66, 67, ...bytes);
  const stop = new StopText({ stopStrings, textOf, from });
  for (let length = from + 1; length <= tokens.length; length++)
    if (stop.isCompleted(tokens, length)) return length - from;
  return Infinity;
}

const bytesOf = (text: string): readonly number[] => [...new TextEncoder().encode(text)];

test("a stop string is seen with the token that completes it, also where tokens end within characters", () => {
  expect(stoppedAfter(bytesOf("one END two"), ["END"])).toBe(7);
  expect(stoppedAfter(bytesOf("aé👍z"), ["é👍"])).toBe(7);
  expect(stoppedAfter(bytesOf("aé👍z"), ["👍z", "é"])).toBe(3);
  expect(stoppedAfter(bytesOf("x".repeat(60) + "stop here"), ["stop"])).toBe(64);
});

test("the prompt does not count", () => {
  expect(stoppedAfter(bytesOf("def"), ["ABC", "Cd"])).toBe(Infinity);
});

test("bytes that may still become a character are no replacement character yet", () => {
  expect(stoppedAfter(bytesOf("a👍b"), ["\uFFFD"])).toBe(Infinity);
  expect(stoppedAfter([97, 0xf0, 98], ["\uFFFD"])).toBe(3);
});

test("however long the text, it stops where the whole text first holds a stop string", () => {
  const piece = fc.constantFrom("a", "b", " ", "é", "👍", "ab", "\n");
  const property = fc.property(
    fc.array(piece, { maxLength: 80 }),
    fc.array(fc.array(piece, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
    fc.constantFrom(byteText, spacedText),
    (pieces, stops, textOf) => {
      const bytes = bytesOf(pieces.join(""));
      const stopStrings = stops.map((stop) => stop.join(""));
      const lengths = bytes.map((_, index) => index + 1);
      const first = lengths.find((length) => {
        const text = textOf(Int32Array.from(bytes.slice(0, length)));
        return stopStrings.some((stop) => text.includes(stop));
      });
      expect(stoppedAfter(bytes, stopStrings, textOf)).toBe(first ?? Infinity);
    },
  );
  fc.assert(property, { numRuns: 200, seed: 5 });
});
