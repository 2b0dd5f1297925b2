// Sums too large for the head, with a calculator at hand. What is learnt is to reach for the tool: only the answer scores, and without the
// tool there is next to none.
import { createRandom, endless, extractBoxed, tool, ToolEnv, withArgs } from "@hone/env";
import * as z from "zod";
import { calculate, mostCharacters } from "./calculate.ts";

const Args = z.object({
  operations: z
    .array(z.enum(["+", "-", "*"]))
    .min(1)
    .default(["+", "-", "*"]),
  digits: z.int().min(1).max(12).default(4).describe("digits of every number"),
  minNumbers: z.int().min(2).default(2),
  maxNumbers: z.int().min(2).default(2),
  tool: z.boolean().default(true).describe("false takes the calculator away"),
  maxTurns: z.int().min(1).default(4),
  seed: z.int().default(0),
});

const calculator = tool({
  description: "exact result of + - * ( )",
  parameters: z.object({ expression: z.string().max(mostCharacters) }),
  execute: ({ expression }) => calculate(expression),
});

/** Problem `index` depends on the arguments and the index alone. */
function makeProblem(args: z.output<typeof Args>, index: number): { readonly id: string; readonly expression: string } {
  const random = createRandom(`${args.seed}/${index}`);
  const least = 10 ** (args.digits - 1);
  const number = (): number => least + random.integer(9 * least);
  let expression = String(number());
  const more = args.minNumbers - 1 + random.integer(args.maxNumbers - args.minNumbers + 1);
  for (let count = 0; count < more; count++) expression += ` ${random.pick(args.operations)} ${number()}`;
  return { id: `${args.seed}-${index}`, expression };
}

export default withArgs(Args, (args) => {
  if (args.minNumbers > args.maxNumbers) throw new RangeError("min_numbers is larger than max_numbers.");
  return new ToolEnv({
    name: "calculator",
    tasks: endless(function* () {
      for (let index = 0; ; index++) yield makeProblem(args, index);
    }),
    prompt: ({ task }) => `Calculate ${task.expression}. Put the answer in \\boxed{}.`,
    gold: ({ task }) => `\\boxed{${calculate(task.expression)}}`,
    tools: { ...(args.tool ? { calculator } : {}) },
    rewards: {
      correct: ({ task, reply }) => extractBoxed(reply, { strict: true }).trim() === calculate(task.expression),
    },
    metrics: { boxed: ({ reply }) => extractBoxed(reply, { strict: true }) !== "" },
    maxTurns: args.maxTurns,
  });
});
