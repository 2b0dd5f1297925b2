// Retry policy for whole rollouts, by error class, with back-off. A retried rollout is a new attempt with the same place in its group.
import type { Environment, Rollout, RolloutId, RolloutRequest } from "@hone/core";
import { abortable } from "./abort.ts";

export interface RetryPolicy {
  /** Tries in all; 1 = no retry. */
  readonly attempts: number;
  /** Failure codes that are retried; without it, those that say they are retryable. */
  readonly only?: readonly string[];
  readonly never?: readonly string[];
  readonly firstDelayMs?: number;
  readonly longestDelayMs?: number;
}

export interface RetryHooks {
  readonly random?: () => number;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Told of every failed attempt that is tried again. */
  readonly onRetry?: (failed: Rollout) => void;
}

/** Runs the rollout, again while the policy allows. The last attempt is returned, failed or not. */
export async function rolloutWithRetry(
  environment: Environment,
  request: RolloutRequest,
  policy: RetryPolicy,
  { random = Math.random, sleep = pause, onRetry }: RetryHooks = {},
): Promise<Rollout> {
  const { firstDelayMs = 500, longestDelayMs = 30_000 } = policy;
  for (let attempt = request.identity.attempt; ; attempt++) {
    const identity =
      attempt === request.identity.attempt
        ? request.identity
        : { ...request.identity, attempt, id: `${request.identity.id}~${attempt}` as RolloutId };
    const rollout = await environment.rollout({ ...request, identity });
    const tries = attempt - request.identity.attempt + 1;
    if (!isRetried(rollout, policy) || tries >= policy.attempts || request.signal.aborted) return rollout;
    onRetry?.(rollout);
    await sleep(Math.min(firstDelayMs * 2 ** (tries - 1), longestDelayMs) * (0.5 + random() / 2), request.signal);
  }
}

function isRetried({ failure }: Rollout, { only, never }: RetryPolicy): boolean {
  if (failure === undefined || never?.includes(failure.code) === true) return false;
  return only === undefined ? failure.isRetryable : only.includes(failure.code);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const wait = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await abortable(wait, signal).catch(() => undefined); // a cancelled wait is over; the next attempt sees the signal
  clearTimeout(timer);
}
