// MathRubric: 1 when the reply's answer equals the task's, else 0. Short answers are compared in place, long ones in worker threads.
// A comparison that hits the time limit gives 0: an answer that could not be verified earns nothing.
import * as z from "zod";
import { Rubric } from "../reward/reward.ts";
import { mathEqual } from "./equal.ts";
import { type ExtractMathOptions, extractMathAnswer } from "./extract.ts";
import { type MathOptions, resolveMathOptions } from "./options.ts";
import { MathPool } from "./pool.ts";

export interface MathRubricOptions extends MathOptions {
  /** How the answer is found in the reply. Default "boxed": the last \boxed{...} after the reasoning, or no answer. */
  readonly mode?: ExtractMathOptions["mode"];
  readonly weight?: number;
  /** Answer and gold of more characters together are compared in a worker thread. Default 500. */
  readonly inlineCharacters?: number;
  /** Worker threads at most. Default 2. */
  readonly workers?: number;
  /** For a comparison in a worker thread. Default 5,000. */
  readonly timeoutMs?: number;
}

/** Rewards `correct`. Dispose it to end its threads; they never keep the process alive by themselves. */
export class MathRubric
  extends Rubric<{ readonly task: { readonly answer: string }; readonly reply: string }>
  implements AsyncDisposable
{
  readonly #pool: MathPool;

  constructor(rubricOptions: MathRubricOptions = {}) {
    const {
      mode = "boxed",
      weight = 1,
      inlineCharacters = 500,
      workers = 2,
      timeoutMs = 5000,
      ...options
    } = rubricOptions;
    resolveMathOptions(options);
    const pool = new MathPool({ workers, timeoutMs });
    super(
      {
        correct: {
          weight,
          score: ({ task, reply }) => {
            const answer = extractMathAnswer(reply, { mode });
            if (answer.trim() === "") return false;
            if (answer.length + task.answer.length <= inlineCharacters) return mathEqual(answer, task.answer, options);
            return pool.compare({ answer, gold: task.answer, options });
          },
        },
      },
      z.object({ answer: z.string() }),
    );
    this.#pool = pool;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
  }
}
