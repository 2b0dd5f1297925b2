import { expect, test } from "vitest";
import { importsOf } from "./imports.mjs";

const specifiers = (source: string) => importsOf(source).map((found) => found.specifier);

test("every form of import is seen", () => {
  const source = `
    import zod, { type A } from "static";
    import 'side-effect';
    import type { B } from "type";
    export { c } from "re-export";
    const d = await import("dynamic");
    type E = import("type-position").E;
    const f = import.meta.resolve("resolved");
    const g = require("required");
    const h = new URL("../file.js", import.meta.url);
    import {
      i,
    } from
      "several-lines";
  `;
  expect(specifiers(source)).toEqual([
    "static",
    "side-effect",
    "type",
    "re-export",
    "dynamic",
    "type-position",
    "resolved",
    "required",
    "../file.js",
    "several-lines",
  ]);
});

test("text in comments, strings and templates is not an import", () => {
  const source = [
    '// import "comment"',
    '/* import "block" */',
    `const a = 'import "string"';`,
    'const b = `import "template" ${`from "nested"`} import "tail"`;',
    'const c = Array.from("value");',
  ].join("\n");
  expect(specifiers(source)).toEqual([]);
});

test("the address of something that is not a file of ours is not an import", () => {
  expect(specifiers('const url = new URL("v1/models", baseUrl);')).toEqual([]);
});

test("an import inside a template's substitution is seen, and so is what follows", () => {
  expect(specifiers('const a = `x ${{ b: await import("inside") }} y`; import "after";')).toEqual(["inside", "after"]);
});

test("a quote in a regular expression does not hide the next import", () => {
  expect(specifiers(`const quote = /["'\`/]/;\nimport "after";`)).toEqual(["after"]);
});

test("a regular expression inside a template is skipped too", () => {
  expect(specifiers('const a = `${/["`]/.test(b)}`; import "after";')).toEqual(["after"]);
});

test("a division is not a regular expression", () => {
  expect(specifiers(`const a = (b / c) + "x" / 2; import "after";`)).toEqual(["after"]);
});

test("the place is that of the specifier, from 1", () => {
  expect(importsOf('const a = 1;\nimport { b } from "c";')).toEqual([{ specifier: "c", line: 2, column: 19 }]);
});
