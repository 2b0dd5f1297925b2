import { spawnSync } from "node:child_process";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { difflibRatio } from "./similarity.ts";

const program =
  "import difflib,json,sys;json.dump([difflib.SequenceMatcher(None,a,b).ratio() for a,b in json.load(sys.stdin)],sys.stdout)";

test("2,000 fresh random pairs get the ratio that Python's difflib gives them", (context) => {
  if (spawnSync("python3", ["--version"]).status !== 0) context.skip("python3 is not installed here");
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 240 }),
    fc.string({ unit: fc.constantFrom(..."abcdefgh ".split("")), maxLength: 500 }),
    fc.string({ unit: "grapheme", maxLength: 30 }),
    fc.string({ unit: fc.constantFrom("🙂", "日", "é", "a"), minLength: 150, maxLength: 250 }),
  );
  const edited = fc.tuple(text, text, fc.nat(500)).map(([a, b, at]): [string, string] => [a, a.slice(0, at) + b]);
  const pairs = fc.sample(fc.oneof(fc.tuple(text, text), edited), 2000);
  const python = spawnSync("python3", ["-c", program], {
    input: JSON.stringify(pairs),
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  expect(python.stderr).toBe("");
  const ratios = JSON.parse(python.stdout) as number[];
  const ours = pairs.map(([a, b]) => [a, b, difflibRatio(a, b)]);
  expect(ours).toEqual(pairs.map(([a, b], index) => [a, b, ratios[index]]));
});
