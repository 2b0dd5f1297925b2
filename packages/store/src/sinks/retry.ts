// Trying again while the other side is away: waits that double, drawn evenly so that many runs do not knock at once. There is no last attempt while the
// run lasts, since its files keep everything; when it is over, waits are short and the deadline decides.
import { HoneError } from "@hone/core";

const firstWaitMs = 1000;
const longestWaitMs = 60_000;
const longestLastWaitMs = 1000;

export interface RetryOptions {
  /** In [0, 1). */
  readonly random: () => number;
  readonly isFinishing: () => boolean;
  /** Before the first wait of an outage, and after the attempt that ended it. */
  readonly onOutage: (error: HoneError) => void;
  readonly onRecovery: () => void;
  /** Waits, or returns earlier when there is reason to. */
  readonly wait: (delayMs: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Everything but a retryable error leaves at once. */
export async function untilDone<Result>(attempt: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  const { random, isFinishing, onOutage, onRecovery, wait, signal } = options;
  for (let failures = 0; ; failures++) {
    try {
      signal.throwIfAborted();
      const result = await attempt();
      if (failures > 0) onRecovery();
      return result;
    } catch (error) {
      signal.throwIfAborted();
      if (!HoneError.is(error) || !error.isRetryable) throw error;
      if (failures === 0) onOutage(error);
      const bound = Math.min(isFinishing() ? longestLastWaitMs : longestWaitMs, firstWaitMs * 2 ** failures);
      // Half of it is certain: an attempt in every millisecond would help nobody.
      await wait((bound / 2) * (1 + random()));
    }
  }
}
