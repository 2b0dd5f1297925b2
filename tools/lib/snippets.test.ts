import { expect, test } from "vitest";
import { problemsIn, snippetsOf } from "./snippets.mjs";

const pages = [
  {
    path: "docs/a.md",
    text: "# A\n```ts\nlet one: number;\n```\n```toml\nx = 1\n```\n```ts run file=two.ts\nlet two;\n```\n",
  },
  { path: "environments/x/README.md", text: "```ts\nlet three;\n```\n" },
];

test("every ts block is a file of its page, under its own name where it has one", () => {
  expect(snippetsOf(pages).map(({ page, file }) => [page, file])).toEqual([
    ["docs/a.md", "docs_a_md/line-3.ts"],
    ["docs/a.md", "docs_a_md/two.ts"],
    ["environments/x/README.md", "environments_x_README_md/line-2.ts"],
  ]);
});

test("what tsc says is said of the page, and not where it is about a source", () => {
  const output = [
    ".cache/s/docs_a_md/line-3.ts(3,5): error TS1: wrong",
    "  because of this",
    "packages/core/src/index.ts(1,1): error TS2: of a source",
    "  not ours",
    ".cache/s/environments_x_README_md/line-2.ts(2,1): error TS3: also wrong",
  ].join("\n");
  expect(problemsIn(output, ".cache/s", snippetsOf(pages))).toEqual([
    { path: "docs/a.md", line: 3, message: "TS1: wrong\n  because of this" },
    { path: "environments/x/README.md", line: 2, message: "TS3: also wrong" },
  ]);
});
