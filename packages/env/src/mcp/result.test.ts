import * as fc from "fast-check";
import { expect, test } from "vitest";
import { toToolResult } from "./result.ts";

type Content = Parameters<typeof toToolResult>[0]["content"];
const shown = (content: Content, rest: object = {}, maxBytes = 1000) => toToolResult({ content, ...rest }, maxBytes);
const text = (value: string) => ({ type: "text", text: value }) as const;

test("texts are lines of one text, and nothing is said to be nothing", () => {
  expect(shown([text("a"), text("b")])).toEqual({ content: "a\nb" });
  expect(shown([])).toEqual({ content: "(no output)" });
  expect(shown([text("no")], { isError: true })).toEqual({ content: "no", isError: true });
});

test("data is shown as JSON where no text stands for it", () => {
  expect(shown([], { structuredContent: { a: [1] } })).toEqual({ content: '{"a":[1]}' });
  expect(shown([text("one")], { structuredContent: { a: [1] } })).toEqual({ content: "one" });
});

test("images are parts of their own, and one too large is named instead", () => {
  const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
  expect(shown([text("see"), image])).toEqual({
    content: [text("see"), { type: "image", url: "data:image/png;base64,AAAA" }],
  });
  expect(shown([{ ...image, data: "A".repeat(8_000_000) }]).content).toBe(
    "(image, image/png, 6000000 bytes, too large, left out)",
  );
});

test("what a model cannot be shown is named", () => {
  const blob = (mimeType?: string) =>
    ({
      type: "resource",
      resource: { uri: "file:///a", blob: "AAA=", ...(mimeType === undefined ? {} : { mimeType }) },
    }) as const;
  expect(shown([{ type: "audio", data: "AAAA", mimeType: "audio/wav" }, blob(), blob("application/pdf")]).content).toBe(
    "(audio, audio/wav, 3 bytes, left out)\n(file:///a, unknown type, 2 bytes, left out)\n(file:///a, application/pdf, 2 bytes, left out)",
  );
  expect(shown([blob("image/gif")]).content).toEqual([{ type: "image", url: "data:image/gif;base64,AAA=" }]);
  expect(shown([{ type: "hologram" } as never]).content).toBe("(content of an unknown kind, left out)");
});

test("text is cut at a character, and what is shown and what is counted add up", () => {
  const limits = fc.nat({ max: 40 });
  const words = fc.array(fc.constantFrom("a", "é", "€", "😀"), { maxLength: 12 }).map((letters) => letters.join(""));
  fc.assert(
    fc.property(fc.array(words, { maxLength: 4 }), limits, (texts, maxBytes) => {
      const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
      const { content } = shown([image, ...texts.map(text)], {}, maxBytes);
      if (typeof content === "string") throw new Error("images keep parts apart");
      const parts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
      const total = Buffer.byteLength(texts.join(""));
      const note = /^\(truncated (\d+) bytes\)$/.exec(parts.at(-1) ?? "");
      if (total <= maxBytes) {
        expect(parts).toEqual(texts);
        return;
      }
      const kept = Buffer.byteLength(parts.slice(0, -1).join(""));
      expect(kept).toBeLessThanOrEqual(maxBytes);
      expect(kept + Number(note?.[1])).toBe(total);
      expect(texts.join("").startsWith(parts.slice(0, -1).join(""))).toBe(true);
    }),
  );
});
