import type { Rollout } from "@hone/core";
import { expect, test } from "vitest";
import type { Verdict } from "../nouns.ts";
import type { JudgedGroup } from "../schedule/collect.ts";
import { rolloutOf, rolloutsOf } from "../sample/testing/rollouts.ts";
import { collectedMetrics, histogram, sampledTokens } from "./metrics.ts";
import { Stopwatch } from "./stopwatch.ts";

function judged(
  env: string,
  verdict: Verdict,
  rewards: readonly number[],
  failed: readonly string[] = [],
): JudgedGroup {
  const broken = failed.map(
    (boundary) =>
      ({ ...rolloutOf([], { env }), failure: { boundary, code: "x", message: "", isRetryable: false } }) as Rollout,
  );
  const ticket = { number: 0, env, task: { id: "t" }, group: "g", epoch: 0 } as never;
  const rollouts = rolloutsOf(rewards, [], env);
  const [lost, ...left] = broken;
  return {
    verdict,
    group: {
      ticket,
      rollouts,
      failed: left,
      lost: lost === undefined ? [] : [lost],
      isShort: false,
      attempt: 0,
      policyVersion: 0,
    },
  };
}

test("a row says of the whole update and of each environment what became of groups and rollouts", () => {
  const row = collectedMetrics({
    judged: [
      judged("a", "trained", [0, 1], ["tool", "tool"]),
      judged("a", "no_signal", [1, 1]),
      judged("b", "trained", [0.25, 0.25]),
      judged("b", "stale", [0.5]),
      judged("b", "failed", [], ["model"]),
    ],
    step: 3,
    maxOffPolicySteps: 1,
    pools: { a: { easy: 1, normal: 7, hard: 2 } },
  });
  expect(row).toMatchObject({
    "reward/mean": 4 / 7,
    "reward/trained/mean": 1.5 / 4,
    "reward/a/mean": 0.75,
    "reward/a/histogram": [1, 0, 0, 0, 0, 0, 0, 0, 0, 3],
    "reward/b/histogram": [0, 0, 2, 0, 0, 1, 0, 0, 0, 0],
    "rollout/count": 7,
    "rollout/failed": 3,
    "rollout/failed/tool": 2,
    "rollout/failed/model": 1,
    "rollout/failed/sandbox": 0,
    "rollout/a/failed/tool": 2,
    "rollout/b/failed": 1,
    "task/groups": 5,
    "task/trained": 2,
    "task/no_signal": 1,
    "task/stale": 1,
    "task/failed": 1,
    "task/b/stale": 1,
    // Both trained groups were sampled by policy 0, and update 3 trains policy 2.
    "task/stale_kept": 2,
    "task/a/pool_easy": 1,
    "task/a/pool_normal": 7,
    "task/a/pool_hard": 2,
  });
  expect(row).not.toHaveProperty("rollout/a/failed/model");
});

test("rewards outside of [0, 1] count at the ends of the histogram", () => {
  expect(histogram([-5, 0, 0.05, 0.1, 0.95, 1, 7])).toEqual([3, 1, 0, 0, 0, 0, 0, 0, 0, 3]);
});

test("sampled tokens are those of finished and failed rollouts", () => {
  expect(sampledTokens([judged("a", "trained", [0, 1], ["tool"]), judged("a", "stale", [1])])).toBe(9);
});

test("the time of a step is split by what it was spent on, and starts anew with every lap", async () => {
  let nowMs = 0;
  const stopwatch = new Stopwatch(() => nowMs);
  const spend = (ms: number) => async () => void (nowMs += ms);
  await stopwatch.time("rollout", spend(2000));
  nowMs += 500;
  await stopwatch.time("update", spend(1000));
  await stopwatch.time("rollout", spend(500));
  expect(stopwatch.lap()).toEqual({
    "step/seconds": 4,
    "rollout/seconds": 2.5,
    "sample/seconds": 0,
    "update/seconds": 1,
    "eval/seconds": 0,
  });
  await expect(stopwatch.time("eval", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(stopwatch.lap()["step/seconds"]).toBe(0);
});
