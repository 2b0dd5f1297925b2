// Maths problems with a Python session as the tool: counting, number theory, sums. The answer is boxed and compared as mathematics.
import { createRandom, endless, MathRubric, PythonEnv, withArgs } from "@hone/env";
import { fromHub } from "@hone/env/data";
import * as z from "zod";
import { makeProblem } from "./problems.ts";

const Args = z.object({
  source: z
    .enum(["generated", "hub"])
    .default("generated")
    .describe("own problems without end, or the data set HuggingFaceH4/MATH-500"),
  folder: z.string().optional().describe("a folder with the data set's file, instead of the hub"),
  seed: z.int().default(0),
  cellSeconds: z.number().positive().default(20),
  maxTurns: z.int().min(1).default(8),
});

const Row = z.object({ problem: z.string(), answer: z.string() });

export default withArgs(Args, ({ source, folder, seed, cellSeconds, maxTurns }) => {
  const fromDataSet = () =>
    fromHub({
      dataset: "HuggingFaceH4/MATH-500",
      split: "test",
      schema: Row,
      ...(folder === undefined ? {} : { folder }),
    }).map(({ problem, answer }) => ({ problem, answer }));
  const generated = endless(function* () {
    for (let index = 0; ; index++) yield makeProblem(createRandom(`${seed}/${index}`));
  });
  return new PythonEnv({
    name: "math-python",
    tasks: source === "hub" ? fromDataSet() : generated,
    system: "Solve the problem. You may run Python. Give the final answer inside \\boxed{}.",
    prompt: ({ task }) => task.problem,
    gold: ({ task }) => `\\boxed{${task.answer}}`,
    python: { cellSeconds },
    rewards: new MathRubric(),
    maxTurns,
  });
});
