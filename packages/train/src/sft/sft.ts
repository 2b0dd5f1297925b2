// Supervised fine-tuning on any engine: conversation → sample → update, until the steps or the data are over. While the engine works on a
// batch, the next one is read and rendered. A step whose gradient is not finite is rejected: the policy stays, the next batch is tried.
import type { SftBatch } from "./batches.ts";
import type { SftOptions, SftResult } from "./options.ts";
import { isRejection, openSftRun } from "./run.ts";

/** Batches in a row that may be rejected. */
const mostRejections = 5;

export async function sft(options: SftOptions): Promise<SftResult> {
  const run = await openSftRun(options);
  const { maxSteps = Number.POSITIVE_INFINITY } = options;
  /** Started early; what goes wrong with it is told when its turn comes. */
  const fetch = (): Promise<SftBatch> => {
    const batch = run.take();
    batch.catch(() => undefined);
    return batch;
  };
  let next: Promise<SftBatch> | undefined;
  try {
    let step = run.startStep;
    let rejected = 0;
    if (step < maxSteps) next = fetch();
    if (step === 0) await run.evaluate(0, true);
    while (next !== undefined) {
      if (await run.isStopped()) return await run.finish(step, "stopped");
      const batch = await next;
      if (batch.samples.length === 0) {
        run.count(batch);
        break;
      }
      next = step + 1 < maxSteps ? fetch() : undefined;
      try {
        await run.update(batch, step + 1);
      } catch (error) {
        if (!isRejection(error) || ++rejected > mostRejections) throw error;
        await run.reject(step + 1, batch, error.message);
        next ??= fetch();
        continue;
      }
      step++;
      rejected = 0;
      const isLast = next === undefined || (maxSteps === Number.POSITIVE_INFINITY && (await isOver(next)));
      await run.evaluate(step, isLast);
      await run.commit(step, isLast);
    }
    return await run.finish(step, "done");
  } finally {
    await next?.catch(() => undefined);
    await run.close();
  }
}

async function isOver(next: Promise<SftBatch>): Promise<boolean> {
  const batch = await next.catch(() => undefined);
  return batch?.samples.length === 0;
}
