// Speed of mathEqual on one core: integers, pairs of the kind that competition problems have, and the slowest hostile answer.
// HONE_MATH_DATA names a .jsonl or .jsonl.gz file of problems with golds to use instead of the own list.
import { mathEqual } from "../packages/env/dist/math/index.js";
import { adversarial } from "../packages/env/dist/math/testing/adversarial.js";
import { figure, median } from "./lib/figure.mjs";
import { answersIn, ownAnswers, pairsOf } from "./lib/math-answers.mjs";

/** Runs of `work` until they took a second, three times; the median of items per second. */
function perSecond(items, work) {
  const rates = [];
  for (let round = 0; round < 4; round++) {
    const started = performance.now();
    let done = 0;
    while (performance.now() - started < 1000) {
      for (const item of items) work(item);
      done += items.length;
    }
    if (round > 0) rates.push(done / ((performance.now() - started) / 1000)); // the first one warms up
  }
  return median(rates);
}

const integers = Array.from({ length: 2000 }, (_, index) => {
  const gold = String((index * 7919) % 100_000);
  return { answer: index % 2 === 0 ? gold : String(index), gold };
});
figure(
  "math",
  "integers/s",
  perSecond(integers, ({ answer, gold }) => mathEqual(answer, gold)),
  "1/s",
  { bar: 50_000 },
);

const file = process.env.HONE_MATH_DATA;
const pairs = pairsOf(file === undefined ? ownAnswers : answersIn(file));
figure(
  "math",
  "MATH-like pairs/s",
  perSecond(pairs, ({ answer, gold }) => mathEqual(answer, gold)),
  "1/s",
  { bar: 5000 },
);

const misjudged = pairs.filter(({ answer, gold, isEqual }) => isEqual === true && !mathEqual(answer, gold));
for (const { answer, gold } of misjudged.slice(0, 20)) process.stderr.write(`not equal: ${answer} | ${gold}\n`);
figure("math", "golds that differ from their own rewriting", misjudged.length, "golds", { bar: 0, better: "lower" });

let slowest = { ms: 0, name: "" };
for (const [name, [answer, gold]] of Object.entries(adversarial)) {
  const times = [];
  for (let round = 0; round < 3; round++) {
    const started = performance.now();
    mathEqual(answer, gold);
    times.push(performance.now() - started);
  }
  if (median(times) > slowest.ms) slowest = { ms: median(times), name };
}
process.stderr.write(`slowest hostile answer: ${slowest.name}\n`);
figure("math", "slowest hostile answer", slowest.ms, "ms", { bar: 250, better: "lower" });
