import { checkEnvironment, runOnce, scriptedModel } from "@hone/env/testing";
import { lacking, testSandboxes } from "@hone/sandbox/testing";
import { beforeEach, expect, test } from "vitest";
import definition from "./index.ts";

const sandboxes = testSandboxes();
const noPython = await lacking(sandboxes, "python3");
beforeEach(({ skip }) => skip(noPython !== undefined, noPython));
const environment = definition.create({});

test("keeps the rules of an environment", async () => {
  const checks = await checkEnvironment(environment, { sandboxes });
  expect(checks.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
});

test("a model that computes in two cells and boxes the result is right", async () => {
  const cells = ["n = sum(range(10))", "n * 2"];
  const model = scriptedModel(({ messages }, { index }) => {
    const code = cells[index];
    if (code !== undefined) return { toolCalls: [{ name: "python", arguments: { code } }] };
    const last = messages.at(-1);
    return `\\boxed{${last?.role === "tool" ? String(last.content).trim() : ""}}`;
  });
  const rollout = await runOnce(environment, { model, sandboxes });
  expect(rollout.nodes.at(-1)?.message.content).toBe("\\boxed{90}");
  expect(rollout.agents[0]?.metrics["tool_calls/python"]).toBe(2);
});
