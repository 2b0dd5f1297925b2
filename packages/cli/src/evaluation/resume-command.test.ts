import { expect, test } from "vitest";
import { replaced, resumeCommand } from "./resume-command.ts";

test.each([
  [["eval", "x", "-m", "m"], "hone eval x -m m --resume evals/d"],
  [["eval", "x", "--resume", "-m", "m"], "hone eval x -m m --resume evals/d"],
  [["eval", "x", "--resume", "evals/old", "-m", "m"], "hone eval x -m m --resume evals/d"],
  [["eval", "x", "--resume=evals/old"], "hone eval x --resume evals/d"],
  [["eval", "x", "--system", "it's so"], String.raw`hone eval x --system 'it'\''s so' --resume evals/d`],
])("%j goes on with %s", (argv, command) => {
  expect(resumeCommand(argv, "evals/d")).toBe(command);
});

test("only the first of equal words is replaced", () => {
  expect(replaced(["eval", "scriptd", "-m", "scriptd"], "scriptd", "other")).toBe("hone eval other -m scriptd");
});
