import { type GroupId, ModelError, type ModelErrorCode, type RolloutId } from "@hone/core";
import { scriptedModel } from "@hone/core/testing";
import { expect, test } from "vitest";
import { defineEnvironment, type RetryPolicy, rolloutWithRetry } from "../index.ts";
import { firstTask, noModel, noSandboxes } from "../testing/run-once.ts";

const environment = defineEnvironment({ name: "x", tasks: [{ n: 1 }], prompt: () => "go", rewards: { r: () => 1 } });

async function tryWith(policy: RetryPolicy, failures: number, code: ModelErrorCode = "server") {
  let calls = 0;
  const delays: number[] = [];
  const good = scriptedModel(() => "ok");
  const model = {
    name: "shaky",
    complete: (...request: Parameters<typeof good.complete>) =>
      calls++ < failures ? Promise.reject(new ModelError("down", { code })) : good.complete(...request),
  };
  const rollout = await rolloutWithRetry(
    environment,
    {
      task: await firstTask(environment),
      identity: { id: "r#0" as RolloutId, group: "r" as GroupId, index: 0, attempt: 0, seed: 0 },
      resources: { model, models: noModel, sandboxes: noSandboxes, harness: undefined, sampling: {} },
      signal: new AbortController().signal,
    },
    policy,
    { random: () => 1, sleep: async (ms) => void delays.push(ms) },
  );
  return { rollout, calls, delays };
}

test("a retryable failure is tried again, later and later, as a new attempt of the same place", async () => {
  const { rollout, delays } = await tryWith({ attempts: 4, firstDelayMs: 100, longestDelayMs: 300 }, 3);
  expect(rollout).toMatchObject({ id: "r#0~3", attempt: 3, index: 0, agents: [{ reward: 1 }] });
  expect(delays).toEqual([100, 200, 300]);
});
test("when the attempts are used up the last failure is returned", async () => {
  const { rollout, calls } = await tryWith({ attempts: 2 }, 9);
  expect(calls).toBe(2);
  expect(rollout.failure?.code).toBe("server");
});
test("a failure that says it is final is not retried", async () => {
  expect((await tryWith({ attempts: 5 }, 9, "unauthorized")).calls).toBe(1);
});
test("a policy names the classes it retries or never retries", async () => {
  expect((await tryWith({ attempts: 3, only: ["timeout"] }, 9)).calls).toBe(1);
  expect((await tryWith({ attempts: 3, only: ["unauthorized"] }, 9, "unauthorized")).calls).toBe(3);
  expect((await tryWith({ attempts: 3, never: ["server"] }, 9)).calls).toBe(1);
});
