// The loop: task → rollout → reward → sample → update, until the steps, the tasks or the patience of whoever watches are over.
// A step whose gradient is not finite, or whose samples teach nothing, is rejected: the policy stays, the next batch is tried in its place.
import { HoneError } from "@hone/core";
import type { TrainOptions, TrainResult } from "./options.ts";
import { openTrainRun } from "./run.ts";
import type { Collected } from "./schedule/collect.ts";
import { meanReward } from "./schedule/judge.ts";

/** Batches in a row that may be rejected. */
const mostRejections = 5;

export async function train(options: TrainOptions): Promise<TrainResult> {
  const run = await openTrainRun(options);
  try {
    let step = run.startStep;
    let rejected = 0;
    if (step === 0) await run.evaluate(0, true);
    while (step < options.maxSteps) {
      if (await run.isStopped()) return await run.finish({ step, why: "stopped" });
      const collected = await run.collect(step + 1);
      const batch = await run.toBatch(collected, step + 1);
      if (batch.samples.length === 0 && collected.isLast) return await run.finish({ step, why: "tasks-over" });
      try {
        if (batch.samples.length === 0) throw withoutCredit(collected);
        const report = await run.update(batch, step + 1);
        step++;
        rejected = 0;
        const isLast = step === options.maxSteps || collected.isLast;
        await run.commit(step, collected, batch, report, isLast);
        await run.evaluate(step, isLast);
        if (collected.isLast) return await run.finish({ step, why: "tasks-over" });
      } catch (error) {
        if (!isRejection(error) || ++rejected > mostRejections) throw error;
        await run.reject(step + 1, collected, error);
      }
    }
    return await run.finish({ step, why: "done" });
  } finally {
    await run.close();
  }
}

function isRejection(error: unknown): error is HoneError {
  return HoneError.is(error) && ["non-finite", "no-signal"].includes(error.code);
}

/** Solved, or out of reach: the mean says which. */
function withoutCredit({ judged }: Collected): HoneError {
  const means = new Map<string, number[]>();
  for (const { group } of judged) {
    if (group.rollouts.length === 0) continue;
    means.set(group.ticket.env, [...(means.get(group.ticket.env) ?? []), meanReward(group.rollouts)]);
  }
  const said = [...means].map(
    ([env, values]) => `${env} ${(values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(2)}`,
  );
  return new HoneError(
    `Nothing to learn from a batch: within each group all rewards agree (mean reward: ${said.join(", ")}).`,
    {
      code: "no-signal",
      hint: "Near the top the tasks are solved; near the bottom they are out of reach. Change the tasks, the temperature or group_size, or set difficulty.filter.",
    },
  );
}
