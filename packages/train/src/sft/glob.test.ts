import { relative } from "node:path";
import { expect, test } from "vitest";
import { expandPath } from "./glob.ts";
import { folderWith } from "./testing/folder.ts";

const files = ["a.jsonl", "b.jsonl", "b.txt", "deep/c.jsonl", "deep/deeper/d.jsonl", ".hidden.jsonl"];
const folder = (): Promise<string> => folderWith(Object.fromEntries(files.map((name) => [name, ""])));

test.each([
  ["a.jsonl", ["a.jsonl"]],
  ["*.jsonl", ["a.jsonl", "b.jsonl"]],
  ["?.txt", ["b.txt"]],
  ["*/*.jsonl", ["deep/c.jsonl"]],
  ["**/*.jsonl", ["a.jsonl", "b.jsonl", "deep/c.jsonl", "deep/deeper/d.jsonl"]],
  ["deep/**/d.jsonl", ["deep/deeper/d.jsonl"]],
])("%s", async (pattern, expected) => {
  const cwd = await folder();
  expect((await expandPath(pattern, cwd)).map((path) => relative(cwd, path))).toEqual(expected);
  expect((await expandPath(`${cwd}/${pattern}`, "/")).map((path) => relative(cwd, path))).toEqual(expected);
});

test.each([
  ["none.jsonl", "There is no file none.jsonl"],
  ["deep", "There is no file deep"],
  ["*.csv", "No file matches *.csv"],
])("%s is a mistake", async (pattern, message) => {
  await expect(expandPath(pattern, await folder())).rejects.toThrow(message);
});
