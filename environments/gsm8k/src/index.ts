// Grade-school word problems. The answer is one number after "####"; it is compared as a number, so 1,200 and 1200.00 are the same.
import { extractLastHash, SingleTurnEnv, withArgs } from "@hone/env";
import { fromHub, fromJsonl } from "@hone/env/data";
import * as z from "zod";

const Args = z.object({
  source: z
    .enum(["hub", "own"])
    .default("hub")
    .describe("the data set openai/gsm8k, or twenty problems of our own that need no network"),
  folder: z.string().optional().describe("a folder with train.jsonl and test.jsonl, instead of the hub"),
});

const Problem = z.object({ question: z.string(), answer: z.string() });

/** The number a text stands for, without commas, units and currency signs; undefined when it is none. */
export function numberIn(text: string): number | undefined {
  const digits = text.replace(/[,$€£%\s]/g, "").match(/^[^\d.-]*(-?\d*\.?\d+)/)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export default withArgs(Args, ({ source, folder }) => {
  const rows = (split: string) =>
    source === "own"
      ? fromJsonl(new URL(`../data/${split}.jsonl`, import.meta.url), Problem)
      : fromHub({
          dataset: "openai/gsm8k",
          config: "main",
          split,
          schema: Problem,
          ...(folder === undefined ? {} : { folder }),
        });
  return new SingleTurnEnv({
    name: "gsm8k",
    tasks: rows("train"),
    evalTasks: rows("test"),
    prompt: ({ task }) => `Solve this problem step by step. End with "#### " and the final number.\n\n${task.question}`,
    gold: ({ task }) => `#### ${extractLastHash(task.answer)}`,
    rewards: {
      correct: ({ task, reply }) => {
        const answer = reply.includes("####") ? numberIn(extractLastHash(reply)) : undefined;
        return answer !== undefined && answer === numberIn(extractLastHash(task.answer));
      },
    },
    metrics: { has_answer: ({ reply }) => reply.includes("####") },
  });
});
