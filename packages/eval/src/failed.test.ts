import { join } from "node:path";
import { HoneError } from "@hone/core";
import { defineEnvironment } from "@hone/env";
import { describe, expect, test } from "vitest";
import { evaluate } from "./evaluate.ts";
import { adder, addition, evaluated, sums, temporaryDirectory, usuallyRight } from "./testing/environments.ts";
import { withMembers } from "./with-members.ts";

describe("failures", () => {
  test("count in the error table and not in the mean", async () => {
    const model = adder(({ a, b }) =>
      a < 4 ? { fail: { code: "bad-request", message: `refused ${a}` } } : String(a + b),
    );
    const { evaluation } = await evaluated({ environment: addition(), model });
    expect(evaluation).toMatchObject({
      rollouts: 10,
      failed: 4,
      reward: { mean: 1, n: 6 },
      errors: [{ boundary: "model", code: "bad-request", count: 4, message: "refused 0" }],
    });
  });

  test("of an environment that throws are rollouts that failed at the boundary environment, and are retried by policy", async () => {
    let calls = 0;
    const inner = addition({ tasks: sums(3) });
    const environment = withMembers(inner, {
      rollout: (request) => {
        calls++;
        if (request.task.id !== "sum-001" || request.identity.attempt >= 2) return inner.rollout(request);
        throw new HoneError("The worker died.", { code: "worker-died", isRetryable: true });
      },
    });
    const model = adder(({ a, b }) => String(a + b));
    const once = await evaluated({ environment, model });
    expect(once.evaluation.errors).toEqual([
      { boundary: "environment", code: "worker-died", count: 1, message: "The worker died." },
    ]);
    expect(calls).toBe(3);
    const retried = await evaluated({ environment, model, retry: { attempts: 3, firstDelayMs: 0 } });
    expect(retried.evaluation).toMatchObject({ failed: 0, reward: { mean: 1 } });
    expect(retried.rollouts.map(({ id }) => id)).toEqual([
      "addition:sum-000#0",
      "addition:sum-001#0~2",
      "addition:sum-002#0",
    ]);
  });

  test("to write a rollout's state fail that rollout, not the evaluation", async () => {
    await using folder = await temporaryDirectory();
    const environment = defineEnvironment({
      name: "circle",
      tasks: sums(2),
      state: ({ task }) => {
        const state: { self?: object; kind: string } = { kind: "state" };
        if (task.id === "sum-001") state.self = state;
        return state;
      },
      prompt: () => "1 + 1",
      rewards: { any: () => 1 },
    });
    const directory = join(folder.path, "eval");
    const evaluation = await evaluate({ environment, model: adder(usuallyRight), directory });
    expect(evaluation).toMatchObject({
      rollouts: 2,
      failed: 1,
      errors: [{ boundary: "environment", code: "bad-row" }],
    });
  });

  test("of a judge that nobody set up say where it would come from", async () => {
    const environment = defineEnvironment({
      name: "judged",
      tasks: sums(1),
      prompt: () => "1 + 1",
      rewards: { good: { judge: "referee", prompt: () => "good?" } },
    });
    const { evaluation } = await evaluated({ environment, model: adder(usuallyRight) });
    expect(evaluation.errors[0]).toMatchObject({ boundary: "reward", message: expect.stringContaining("referee") });
  });
});
