import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { brokenLinks, codeBlocks, readPages, tableRows } from "./markdown.mjs";

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

function folderOf(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "hone-docs-"));
  roots.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

test("code blocks have a language, marks, and the line they start at", () => {
  expect(codeBlocks("# Title\n\n```ts run file=a.ts\nlet a;\nlet b;\n```\ntext\n```\nplain\n```\n")).toEqual([
    { language: "ts", marks: ["run", "file=a.ts"], line: 4, code: "let a;\nlet b;" },
    { language: "", marks: [], line: 9, code: "plain" },
  ]);
});

test("a longer fence holds a shorter one", () => {
  const [block, ...more] = codeBlocks("````md\n```ts\nx\n```\n````\n");
  expect(block?.code).toBe("```ts\nx\n```");
  expect(more).toEqual([]);
});

test("the readme, the pages in docs and those of the environments are read", () => {
  const root = folderOf({
    "README.md": "",
    "docs/b.md": "",
    "docs/a.md": "",
    "environments/x/README.md": "",
    "x.md": "",
  });
  expect(readPages(root).map(({ path }) => path)).toEqual([
    "README.md",
    "docs/a.md",
    "docs/b.md",
    "environments/x/README.md",
  ]);
});

test("a link to a file or a heading that is not there is named with its line", () => {
  const root = folderOf({
    "README.md":
      "[fine](docs/a.md#two-words) [outside](https://example.org)\n[gone](docs/b.md)\n[lost](docs/a.md#three)",
    "docs/a.md":
      "# One\n## `Two` words\n```text\n# Three\n[no link](nowhere)\n```\n`[none](code)` [home](../README.md) [up](#one)",
  });
  expect(brokenLinks(root, readPages(root))).toEqual([
    { path: "README.md", line: 2, message: "there is no docs/b.md" },
    { path: "README.md", line: 3, message: "docs/a.md has no heading #three" },
  ]);
});

test("table rows come with the heading above them", () => {
  const text = "# A\n| x | y |\n|---|---|\n| 1 | a \\| b |\n## B\n| z |\n";
  expect(tableRows(text)).toEqual([
    { heading: "A", line: 2, cells: ["x", "y"] },
    { heading: "A", line: 4, cells: ["1", "a \\| b"] },
    { heading: "B", line: 6, cells: ["z"] },
  ]);
});
