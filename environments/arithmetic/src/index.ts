// Small sums, differences and products. The answer is boxed and compared exactly, so what is learnt is to calculate and to keep to the format.
import { createRandom, endless, extractBoxed, SingleTurnEnv, withArgs } from "@hone/env";
import * as z from "zod";

const Operation = z.enum(["+", "-", "*"]);
const Args = z.object({
  operations: z.array(Operation).min(1).default(["+", "-", "*"]),
  maxOperand: z.int().min(1).max(1e6).default(99),
  maxFactor: z.int().min(1).max(1e6).default(9).describe("the second operand of a product, at most"),
  seed: z.int().default(0),
});

export interface Problem {
  readonly a: number;
  readonly operation: z.output<typeof Operation>;
  readonly b: number;
}

export function answerTo({ a, operation, b }: Problem): number {
  switch (operation) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
  }
}

/** Problem `index` depends on the arguments and the index alone. Differences are never negative. */
function makeProblem(args: z.output<typeof Args>, index: number): Problem & { readonly id: string } {
  const random = createRandom(`${args.seed}/${index}`);
  const operation = random.pick(args.operations);
  const one = random.integer(args.maxOperand + 1);
  const two = random.integer((operation === "*" ? args.maxFactor : args.maxOperand) + 1);
  const [a, b] = operation === "-" && two > one ? [two, one] : [one, two];
  // The same problem comes again in an endless set; its position tells the two apart, its fields which side of the split it is on.
  return { id: `${args.seed}-${index}`, a, operation, b };
}

export default withArgs(
  Args,
  (args) =>
    new SingleTurnEnv({
      name: "arithmetic",
      tasks: endless(function* () {
        for (let index = 0; ; index++) yield makeProblem(args, index);
      }),
      prompt: ({ task }) => `Calculate ${task.a} ${task.operation} ${task.b}. Put the answer in \\boxed{}.`,
      gold: ({ task }) => `\\boxed{${answerTo(task)}}`,
      rewards: {
        correct: ({ task, reply }) => extractBoxed(reply, { strict: true }).trim() === String(answerTo(task)),
      },
      metrics: { boxed: ({ reply }) => extractBoxed(reply, { strict: true }) !== "" },
    }),
);
