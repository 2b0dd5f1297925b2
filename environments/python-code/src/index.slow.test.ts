import { checkEnvironment, runOnce, scriptedModel } from "@hone/env/testing";
import { lacking, testSandboxes } from "@hone/sandbox/testing";
import { beforeEach, expect, test } from "vitest";
import definition from "./index.ts";

const sandboxes = testSandboxes();
const noPython = await lacking(sandboxes, "python3");
beforeEach(({ skip }) => skip(noPython !== undefined, noPython));
const environment = definition.create({ testSeconds: 5 });
const solve = async (code: string, id = "double-all") => {
  for await (const task of environment.tasks("all")) {
    if (task.id !== id) continue;
    const model = scriptedModel(() => `Here it is:\n\`\`\`python\n${code}\n\`\`\``);
    return (await runOnce(environment, { task, model, sandboxes })).agents[0];
  }
  throw new Error(`no task ${id}`);
};

test("keeps the rules of an environment: every solution passes its tests", async () => {
  const checks = await checkEnvironment(environment, { count: 12, sandboxes });
  expect(checks.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
});

test("the share of tests that pass is the reward", async () => {
  const agent = await solve("def double_all(numbers):\n    return [2 * n for n in numbers] if numbers else None");
  expect(agent?.reward).toBeCloseTo(2 / 3);
  expect(agent?.metrics["wrong_answers"]).toBeCloseTo(1 / 3);
});

test.each([
  ["a syntax error", "def double_all(numbers:", "compile_errors"],
  ["an exception", "def double_all(numbers):\n    return numbers.missing", "run_errors"],
  ["an endless loop", "def double_all(numbers):\n    while True: pass", "time_outs"],
])(
  "%s scores nothing and is counted as such",
  async (_what, code, metric) => {
    const agent = await solve(code);
    expect(agent?.reward).toBe(0);
    expect(agent?.metrics[metric]).toBe(1);
  },
  60_000,
);
