// Rollout: one attempt at a task, guarded. Whatever the environment does (throws, hangs, gives back nonsense) comes out as a rollout with a failure and
// its boundary. Time starts when the attempt has its place among those that run.
import { type Boundary, BoundaryError, type Failure, HoneError, type Rollout, toFailure } from "@hone/core";
import { abortable, onAbort } from "@hone/env";
import { boundaryOf, type RolloutActivity } from "./activity.ts";

/** How long a rollout that ran out of time has to hand over what it said so far. */
const graceMs = 1000;

export interface GuardOptions<Result> {
  readonly activity: RolloutActivity;
  /** Whose failure it is when `work` throws without a boundary. */
  readonly boundary: Boundary;
  readonly work: (signal: AbortSignal) => Promise<Result>;
  /** What a failure makes of what was done; undefined when nothing came back. */
  readonly failed: (failure: Failure, left: Result | undefined) => Result;
  readonly signal: AbortSignal;
}

/** Rejects only when `signal` aborts. */
export async function guarded<Result>(options: GuardOptions<Result>): Promise<Result> {
  const { activity, boundary, work, failed, signal } = options;
  const controller = new AbortController();
  const unlink = onAbort(signal, () => controller.abort(signal.reason));
  activity.onTimeout = () => {
    if (!controller.signal.aborted) controller.abort(timedOut(activity));
  };
  // Not called straight away: an environment of somebody's own may throw before it returns a promise.
  const running = Promise.resolve(controller.signal).then(work);
  try {
    return await abortable(running, controller.signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const isLate = controller.signal.aborted;
    return failed(toFailure(error, boundary), isLate ? await within(running, graceMs) : undefined);
  } finally {
    unlink();
    activity.onTimeout = undefined;
  }
}

function timedOut({ doing, startedAtMs }: RolloutActivity): BoundaryError {
  const since = Math.round((doing.sinceMs - startedAtMs) / 1000);
  const message = `It did not end in time: it waited for ${doing.what} since second ${since}.`;
  return new BoundaryError(boundaryOf(doing.part), new HoneError(message, { code: "timeout" }));
}

async function within<Result>(running: Promise<Result>, ms: number): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([running, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** What a rollout said before it was given up, with why. */
export function failedRollout(rollout: Rollout, failure: Failure): Rollout {
  return { ...rollout, stop: { type: "failed" }, failure };
}
