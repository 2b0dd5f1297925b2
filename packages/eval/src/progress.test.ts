import type { Rollout } from "@hone/core";
import { expect, test } from "vitest";
import { evaluate } from "./evaluate.ts";
import { type Progress, ProgressMeter, renderProgress, renderSeconds } from "./progress.ts";
import { adder, addition, usuallyRight } from "./testing/environments.ts";

const progress: Progress = {
  env: "gsm8k",
  model: "m",
  done: 42,
  total: 60,
  failed: 2,
  reward: { mean: 0.6312, half: 0.1099 },
  tokensPerSecond: 311.6,
  elapsedSeconds: 30,
  remainingSeconds: 11.4,
};

test("progress is one line", () => {
  expect(renderProgress(progress)).toBe("42/60 rollouts · reward 0.63 ± 0.11 · 2 failed · 312 tok/s · 12 s left");
});

test("what is not known yet is not in the line", () => {
  const early = {
    ...progress,
    total: undefined,
    failed: 0,
    reward: undefined,
    tokensPerSecond: 0,
    remainingSeconds: undefined,
  };
  expect(renderProgress({ ...early, done: 0 })).toBe("0 rollouts");
  expect(renderProgress({ ...early, done: 1, reward: { mean: 1, half: null } })).toBe("1 rollout · reward 1.00");
});

test("the environment that held the event loop is named", () => {
  const blocked = { envs: ["slow-env"], where: ["reward heavy"], durationMs: 310.4 };
  expect(renderProgress({ ...progress, blocked })).toContain("slow-env held the event loop for 310 ms in reward heavy");
});

test("times are given in the largest sensible unit", () => {
  expect([0.2, 89, 100, 5_000, 7_500].map(renderSeconds)).toEqual(["1 s", "89 s", "2 min", "83 min", "2 h 5 min"]);
});

test("progress counts up to the total, with the rate and the time left of this run", async () => {
  let clock = 0;
  const seen: Progress[] = [];
  await evaluate({
    environment: addition(),
    model: adder(usuallyRight),
    groupSize: 2,
    concurrency: 1,
    now: () => clock,
    onRollout: () => void (clock += 500),
    onProgress: (one) => seen.push(one),
  });
  expect(seen.map(({ done, total }) => [done, total])).toEqual(Array.from({ length: 20 }, (_, at) => [at + 1, 20]));
  expect(seen[3]).toMatchObject({ elapsedSeconds: 2, remainingSeconds: 8 });
  expect(seen.at(-1)).toMatchObject({ remainingSeconds: 0, failed: 0 });
  expect(seen.at(-1)?.tokensPerSecond).toBeGreaterThan(0);
});

test("saved results are done already and cost no time; saved failures are not", async () => {
  const rollouts: Rollout[] = [];
  const model = adder((asked) => (asked.a === 0 ? { fail: { code: "server", message: "down" } } : "1"));
  await evaluate({ environment: addition(), model, onRollout: (rollout) => rollouts.push(rollout) });
  const meter = new ProgressMeter({ env: "addition", model: "m", total: 10, now: () => 0 });
  for (const rollout of rollouts) meter.restore(rollout);
  expect(meter.current()).toMatchObject({ done: 9, failed: 0, tokensPerSecond: 0, remainingSeconds: undefined });
});
