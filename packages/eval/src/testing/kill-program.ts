// A program that evaluates 200 tasks and is killed while it does. Run as `node kill-program.js <plain|compared> <directory>`; prints the evaluation as JSON.
import { fileURLToPath } from "node:url";
import { evaluate } from "../evaluate.ts";
import type { EvaluateOptions } from "../plan.ts";
import { adder, addition, comparedAddition, sums, usuallyRight } from "./environments.ts";

export type Kind = "plain" | "compared";

/** Rollouts take between 4 and 20 ms each, by their seed. */
export function killOptions(kind: Kind): EvaluateOptions {
  const tasks = sums(200);
  return {
    environment: kind === "plain" ? addition({ tasks }) : comparedAddition({ tasks }),
    model: adder((asked) => ({
      content: " ".repeat(Math.floor(asked.chance * 30) % 3) + usuallyRight(asked),
      delayMs: 4 + Math.floor(asked.chance * 17),
    })),
    groupSize: 3,
    concurrency: 6,
    seed: 11,
  };
}

const [, program, kind, directory] = process.argv;
if (program === fileURLToPath(import.meta.url) && directory !== undefined) {
  const evaluation = await evaluate({ ...killOptions(kind as Kind), directory, resume: true });
  process.stdout.write(JSON.stringify(evaluation));
}
