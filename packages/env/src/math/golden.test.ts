import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Work } from "./bounds.ts";
import { compareAnswers } from "./equal.ts";
import { resolveMathOptions } from "./options.ts";

interface Case {
  readonly line: string;
  readonly answer: string;
  readonly gold: string;
  readonly isEqual: boolean;
  readonly options: object;
}

const folder = new URL("./__fixtures__/golden/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".txt"));

/** The format is in the folder's README. */
function casesIn(file: string): Case[] {
  const lines = readFileSync(new URL(file, folder), "utf8").split("\n");
  return lines
    .filter((line) => line.trim() !== "" && !line.startsWith("# "))
    .map((line) => {
      const [pair = "", options = "{}"] = line.split(" @ ");
      const match = /^(.*?) (==|=\/=) (.*)$/.exec(pair);
      if (match === null) throw new Error(`${file}: no pair in ${line}`);
      const [, answer = "", operator, gold = ""] = match;
      return { line, answer, gold, isEqual: operator === "==", options: JSON.parse(options) as object };
    });
}

test.each(files)("every pair of %s is judged as written", (file) => {
  const wrong = casesIn(file)
    .filter(
      ({ answer, gold, isEqual, options }) =>
        compareAnswers(answer, gold, resolveMathOptions(options), new Work()) !== isEqual,
    )
    .map(({ line }) => line);
  expect(wrong).toEqual([]);
});

test("the tables hold several hundred pairs of both kinds", () => {
  const all = files.flatMap(casesIn);
  expect(all.length).toBeGreaterThan(700);
  expect(all.filter(({ isEqual }) => !isEqual).length).toBeGreaterThan(200);
});
