import fc from "fast-check";
import { expect, test } from "vitest";
import { type Block, parseMarkdown, parseSpans } from "./markdown.ts";

const kinds = (text: string): string =>
  parseMarkdown(text)
    .map(({ type }) => type)
    .join(" ");
const wordsOf = (block: Block): string => {
  if (block.type === "code") return block.text;
  if (block.type === "rule") return "";
  const spans = block.type === "list" ? block.items.flatMap((item) => item.spans) : block.spans;
  return spans.map(({ text, url = "" }) => text + url).join("");
};

test("paragraphs, headings, lists, quotes and code are told apart", () => {
  expect(kinds("# A\ntext\nmore\n\n- one\n- two\n\n> said\n> so\n\n---\n```ts\n- no list\n```")).toBe(
    "heading paragraph list quote rule code",
  );
  expect(parseMarkdown("```python\nprint(1)\n```")).toEqual([{ type: "code", language: "python", text: "print(1)" }]);
  expect(parseMarkdown("```\nnever closed")).toEqual([{ type: "code", language: "", text: "never closed" }]);
  expect(parseMarkdown("1. a\n   - b")).toMatchObject([
    {
      type: "list",
      isNumbered: true,
      items: [
        { depth: 0, mark: "1." },
        { depth: 1, mark: "-" },
      ],
    },
  ]);
});

test("words within a line", () => {
  expect(parseSpans("a **b** *c* `d` [e](javascript:f) 2*3*4")).toEqual([
    { type: "text", text: "a " },
    { type: "strong", text: "b" },
    { type: "text", text: " " },
    { type: "emphasis", text: "c" },
    { type: "text", text: " " },
    { type: "code", text: "d" },
    { type: "text", text: " " },
    { type: "link", text: "e", url: "javascript:f" },
    { type: "text", text: " 2*3*4" },
  ]);
});

test("every letter and digit that was written is shown, in order", () => {
  const unit = fc.constantFrom("a", "7", " ", "\n", "*", "_", "`", "#", "-", ">", "[", "]", "(", ")", "<", "1.");
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
      const letters = (all: string): string => all.replaceAll(/[^a]/g, "");
      const shown = parseMarkdown(text).map((block) => (block.type === "code" ? block.language : "") + wordsOf(block));
      expect(letters(shown.join(""))).toBe(letters(text));
    }),
  );
});

test("a text that was made to be slow is not", () => {
  for (const unit of ["-", "- ", "*", "**a", "`", "``a`", "[", "[](", "#", " ", "# ", "> ", "1. ", "_", "~~~\n"]) {
    expect(parseMarkdown(`${unit.repeat(20_000 / unit.length)}x`).length).toBeGreaterThan(0);
  }
});
