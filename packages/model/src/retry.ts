// Retries: full jitter (a wait drawn evenly from 0 to the doubling bound), on top of what the server asked for.
// Bounded twice: by attempts, and by the time since the first failure, so that queueing before it costs no attempt.
import { isModelError, reworded } from "./errors.ts";

export interface RetryPolicy {
  /** In all, the first included. */
  readonly maxAttempts: number;
  /** No attempt starts later than this after the first failure. */
  readonly totalMs: number;
  /** The bound of the first wait; it doubles with every further one. */
  readonly baseMs: number;
  readonly capMs: number;
}

/** What retrying depends on, handed in so that tests need not wait. */
export interface RetryTools {
  /** In [0, 1). */
  readonly random: () => number;
  readonly now: () => number;
  /** Rejects with the signal's reason. */
  readonly sleep: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/** Only a ModelError that says it is retryable is retried; everything else leaves at once, cancellation included. */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  options: { readonly policy: RetryPolicy; readonly tools: RetryTools; readonly signal: AbortSignal },
): Promise<Result> {
  const { policy, tools, signal } = options;
  let firstFailureAtMs: number | undefined;
  for (let failures = 0; ;) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      failures++;
      if (!isModelError(error) || !error.isRetryable) throw error;
      const now = tools.now();
      firstFailureAtMs ??= now;
      const delayMs = (error.retryAfterMs ?? 0) + tools.random() * boundMs(policy, failures);
      const isOver = failures >= policy.maxAttempts || now + delayMs - firstFailureAtMs > policy.totalMs;
      if (isOver) throw failures > 1 ? reworded(error, `${error.message} (after ${failures} attempts)`) : error;
      await tools.sleep(delayMs, signal);
    }
  }
}

function boundMs({ baseMs, capMs }: RetryPolicy, failures: number): number {
  return Math.min(capMs, baseMs * 2 ** (failures - 1));
}

/** Waiting that ends early when it is cancelled. */
export function sleep(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, delayMs);
    signal.addEventListener("abort", stop, { once: true });
    return undefined;
  });
}
