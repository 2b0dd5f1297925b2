// Write a Python function. The tests are never shown beyond one example and run in a sandbox after the reply; the reward is the share that pass.
import { CodeRubric, defineEnvironment, withArgs } from "@hone/env";
import * as z from "zod";
import { humanEval, mbpp, own } from "./problems.ts";

const Args = z.object({
  source: z
    .enum(["own", "humaneval", "mbpp"])
    .default("own")
    .describe("twelve problems of our own, or a data set from the hub"),
  folder: z.string().optional().describe("a folder with the data set's file, instead of the hub"),
  testSeconds: z.number().positive().default(10),
  allOrNothing: z.boolean().default(false).describe("score 1 only when every test passes"),
});

export default withArgs(Args, ({ source, folder, testSeconds, allOrNothing }) =>
  defineEnvironment({
    name: "python-code",
    tasks: source === "own" ? own() : source === "mbpp" ? mbpp(folder) : humanEval(folder),
    prompt: ({ task }) => `${task.text}\n\nAnswer with one Python code block that holds the whole program.`,
    sandbox: { memoryMb: 512 },
    gold: ({ task }) => `\`\`\`python\n${task.solution}\n\`\`\``,
    rewards: new CodeRubric({ language: "python", testSeconds, allOrNothing }),
    maxTurns: 1,
  }),
);
