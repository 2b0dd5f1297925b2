import { expect, test } from "vitest";
import { limits, Work } from "./bounds.ts";
import { compareAnswers } from "./equal.ts";
import { extractMathAnswer } from "./extract.ts";
import { resolveMathOptions } from "./options.ts";
import { adversarial } from "./testing/adversarial.ts";

const options = resolveMathOptions();

test.each(Object.entries(adversarial))(
  "%s stays within the work that a comparison may cost",
  (_name, [answer, gold]) => {
    for (const [first, second] of [
      [answer, gold],
      [gold, answer],
    ] as const) {
      const work = new Work();
      expect(typeof compareAnswers(first, second, options, work)).toBe("boolean");
      expect(work.spent).toBeLessThan(limits.work * 1.5);
    }
  },
);

test("the verdict on hostile input is the same every time, and so is its cost", () => {
  for (const [answer, gold] of Object.values(adversarial).slice(0, 30)) {
    const [first, second] = [new Work(), new Work()];
    expect(compareAnswers(answer, gold, options, first)).toBe(compareAnswers(answer, gold, options, second));
    expect(first.spent).toBe(second.spent);
  }
});

test("extraction reads hostile replies to their end", () => {
  for (const [answer] of Object.values(adversarial)) {
    expect(typeof extractMathAnswer(answer, { mode: "priority" })).toBe("string");
    expect(typeof extractMathAnswer(`The answer is $${answer.slice(0, 1900)}$`, { mode: "priority" })).toBe("string");
    expect(extractMathAnswer(`${answer} \\boxed{7}`, { mode: "boxed" })).toBe("7");
  }
});
