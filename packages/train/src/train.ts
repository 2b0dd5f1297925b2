// The loop: task → rollout → reward → sample → update, until the steps, the tasks or the patience of whoever watches are over.
// A step whose gradient is not finite, or whose samples teach nothing, is rejected: the policy stays, the next batch is tried in its place.
import { HoneError } from "@hone/core";
import type { TrainOptions, TrainResult } from "./options.ts";
import { openTrainRun } from "./run.ts";
import { withoutCredit } from "./schedule/explain.ts";

/** Batches in a row that may be rejected. */
const mostRejections = 5;

export async function train(options: TrainOptions): Promise<TrainResult> {
  const run = await openTrainRun(options);
  try {
    let step = run.startStep;
    let rejected = 0;
    await run.evaluate(step, step >= options.maxSteps);
    while (step < options.maxSteps) {
      if (await run.isStopped()) return await run.finish({ step, why: "stopped" });
      const collected = await run.collect(step + 1);
      if (options.signal.aborted) return await run.finish({ step, why: "stopped" });
      const batch = await run.toBatch(collected, step + 1);
      if (batch.samples.length === 0 && collected.isLast) return await run.finish({ step, why: "tasks-over" });
      try {
        if (batch.samples.length === 0) throw withoutCredit(collected.judged);
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
  } catch (error) {
    await run.fail(error);
    throw error;
  } finally {
    await run.close();
  }
}

function isRejection(error: unknown): error is HoneError {
  return HoneError.is(error) && ["non-finite", "no-signal"].includes(error.code);
}
