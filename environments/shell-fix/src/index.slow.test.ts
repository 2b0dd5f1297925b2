import { checkEnvironment, runOnce, scriptedModel } from "@hone/env/testing";
import { lacking, testSandboxes } from "@hone/sandbox/testing";
import { beforeEach, expect, test } from "vitest";
import definition from "./index.ts";
import { projects } from "./projects.ts";

const sandboxes = testSandboxes();
const noPython = await lacking(sandboxes, "python3");
beforeEach(({ skip }) => skip(noPython !== undefined, noPython));
const environment = definition.create({});

async function shellOut(id: string, command: string) {
  for await (const task of environment.tasks("all")) {
    if (task.id !== id) continue;
    const model = scriptedModel((_request, { index }) =>
      index === 0 ? { toolCalls: [{ name: "bash", arguments: { command } }] } : "Done.",
    );
    return runOnce(environment, { task, model, sandboxes });
  }
  throw new Error(`no task ${id}`);
}

test("keeps the rules of an environment: nothing is repaired by saying nothing", async () => {
  const checks = await checkEnvironment(environment, { sandboxes });
  expect(checks.filter(({ outcome }) => outcome === "failed")).toEqual([]);
});

test.each(projects.map(({ id, repair }) => [id, repair]))(
  "%s: a right repair passes every check",
  async (id, repair) => {
    const rollout = await shellOut(id, repair);
    expect(rollout.failure).toBeUndefined();
    expect(rollout.agents[0]?.reward).toBe(1);
  },
);

test("a tampered shell or test runner in the model's sandbox changes nothing", async () => {
  const rollout = await shellOut(
    "broken-json",
    "mkdir -p bin && printf '#!/bin/sh\\nexit 0\\n' > bin/python3 && chmod +x bin/python3 && cp bin/python3 python3; printf 'import sys; sys.exit(0)' > sitecustomize.py",
  );
  expect(rollout.agents[0]?.reward).toBe(0);
});
