import { expect, test } from "vitest";
import { Work } from "./bounds.ts";
import { compareAnswers } from "./equal.ts";
import { resolveMathOptions } from "./options.ts";
import { drawPairs, type Pair } from "./testing/pairs.ts";

const options = resolveMathOptions();

/** With HONE_FULL set the run is ten times as long. */
const rounds = process.env["HONE_FULL"] === undefined ? 8 : 80;
const seeds = Array.from({ length: rounds }, (_, index) => 20_261_115 + index);

test.each(seeds)("answers rewritten stay equal and answers changed do not: 3,000 pairs from seed %i", (seed) => {
  const wrong: Pair[] = [];
  let total = 0;
  for (const pair of drawPairs(seed, 3000)) {
    total++;
    if (compareAnswers(pair.answer, pair.gold, options, new Work()) !== pair.isEqual) wrong.push(pair);
  }
  expect(wrong.slice(0, 20)).toEqual([]);
  expect(total).toBe(3000);
});
