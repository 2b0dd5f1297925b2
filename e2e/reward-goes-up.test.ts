// The main job, shortened: hone/tiny learns to reverse text on the embedded engine, and a control whose rewards are shuffled does not.
// The whole one is `npm run quickstart`.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { train } from "@hone/cli";
import { afterAll, expect, test } from "vitest";

const cwd = await mkdtemp(join(tmpdir(), "hone-reward-"));
afterAll(() => rm(cwd, { recursive: true }));

const run = {
  model: "hone/tiny",
  seed: 5,
  maxSteps: 10,
  batchSize: 96,
  groupSize: 12,
  env: [{ id: "reverse-text" }],
  eval: { numTasks: 100, interval: 10 },
};

interface Gain {
  readonly before: number;
  readonly after: number;
  readonly interval: readonly [low: number, high: number];
  readonly exact: number;
}

async function gainOf(control?: "shuffled_rewards"): Promise<Gain> {
  const name = control ?? "trained";
  const { before, after } = await train({ ...run, name, ...(control && { control }) }, { cwd });
  const [first, last] = [before[0], after[0]];
  return {
    before: Number(first?.["reward/mean"]),
    after: Number(last?.["reward/mean"]),
    interval: last?.["reward/gain_ci95"] as unknown as [number, number],
    exact: Number(last?.["rollout/exact"]),
  };
}

test(
  "ten updates lift the reward on held-out tasks; with shuffled rewards they do not",
  { timeout: 300_000 },
  async () => {
    const learnt = await gainOf();
    expect(learnt.before).toBeLessThan(0.4);
    expect(learnt.after).toBeGreaterThan(0.7);
    expect(learnt.interval[0]).toBeGreaterThan(0.25);
    expect(learnt.exact).toBeGreaterThan(0.02);

    const control = await gainOf("shuffled_rewards");
    expect(control.before).toBe(learnt.before);
    // It drifts, up or down: what was never rewarded is not learnt.
    expect(control.interval[1]).toBeLessThan(learnt.interval[0]);
    expect(control.exact).toBeLessThan(0.02);
  },
);
