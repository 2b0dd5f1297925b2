import { HoneError } from "@hone/core";
import { expect, test } from "vitest";
import * as z from "zod";
import { inFileSpelling, readArguments } from "./arguments.ts";

test.each([
  ["n=4", { n: 4 }],
  ["n = 4", { n: 4 }],
  ["name=own", { name: "own" }],
  ['name="4"', { name: "4" }],
  ["flag=true", { flag: true }],
  ["words=['a', 'b']", { words: ["a", "b"] }],
  ["table={ x = 1 }", { table: { x: 1 } }],
  ["a.b=1", { a: { b: 1 } }],
  ["text=two words, and = more", { text: "two words, and = more" }],
  ["path=./some/where", { path: "./some/where" }],
  ["empty=", { empty: "" }],
  ["quote=it's", { quote: "it's" }],
  ["lines=1\nm = 2", { lines: "1\nm = 2" }],
])("--arg %j is %j", (text, value) => {
  expect(readArguments({ arg: [text], args: undefined })).toEqual(value);
});

test("--arg goes over --args, and tables merge", () => {
  const args = { n: 1, table: { x: 1, y: 2 } };
  expect(readArguments({ args, arg: ["n=2", "table.x=3"] })).toEqual({ n: 2, table: { x: 3, y: 2 } });
});

test.each([["words=['a'"], ['name="open'], ["no value"], ["=4"]])("--arg %j is refused with a word on it", (text) => {
  expect(() => readArguments({ arg: [text], args: undefined })).toThrow(HoneError);
});

test("keys of the schema's spelling become the file's; other keys stay", () => {
  const schema = z.object({ maxGuesses: z.int(), words: z.array(z.string()) });
  expect(inFileSpelling(schema, { maxGuesses: 4, words: [], other: 1 })).toEqual({
    max_guesses: 4,
    words: [],
    other: 1,
  });
  expect(() => inFileSpelling(schema, { maxGuesses: 4, max_guesses: 5 })).toThrow("given twice");
});
