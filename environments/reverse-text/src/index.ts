// Reverse a short text. The reward is difflib's ratio, so half-right answers score something and a small model has a slope to climb.
import { createRandom, defineEnvironment, difflibRatio, endless, withArgs, XMLParser } from "@hone/env";
import { fromHub } from "@hone/env/data";
import * as z from "zod";
import { words } from "./words.ts";

const Args = z.object({
  source: z
    .enum(["generated", "hub"])
    .default("generated")
    .describe("own texts without end, or the data set PrimeIntellect/Reverse-Text-RL"),
  minWords: z.int().min(1).default(2),
  maxWords: z.int().min(1).default(5),
  seed: z.int().default(0),
});

const parser = new XMLParser(["reversed_text"]);
const reverse = (text: string): string => [...text].toReversed().join("");

/** Task `index` depends on the seed and the index alone. */
function* texts({ minWords, maxWords, seed }: z.output<typeof Args>): Generator<{ readonly text: string }> {
  for (let index = 0; ; index++) {
    const random = createRandom(`${seed}/${index}`);
    const count = minWords + random.integer(maxWords - minWords + 1);
    yield { text: Array.from({ length: count }, () => random.pick(words)).join(" ") };
  }
}

const fromDataSet = () =>
  fromHub({ dataset: "PrimeIntellect/Reverse-Text-RL", split: "train", schema: z.object({ prompt: z.string() }) }).map(
    ({ prompt }) => ({ text: prompt }),
  );

export default withArgs(Args, (args) => {
  if (args.minWords > args.maxWords) throw new RangeError("min_words is larger than max_words.");
  return defineEnvironment({
    name: "reverse-text",
    tasks: args.source === "hub" ? fromDataSet() : endless(() => texts(args)),
    system: "Reverse the text letter by letter. Answer inside <reversed_text> tags.",
    prompt: ({ task }) => task.text,
    gold: ({ task }) => `<reversed_text>${reverse(task.text)}</reversed_text>`,
    rewards: {
      ratio: ({ task, reply }) => difflibRatio(parser.parse(reply).reversed_text ?? "", reverse(task.text)),
    },
    metrics: {
      exact: ({ task, reply }) => parser.parse(reply).reversed_text === reverse(task.text),
    },
    maxTurns: 1,
  });
});
