// Cancellation for thousands of rollouts on one signal. EventTarget removes a listener by walking its list, and AbortSignal.any per rollout
// halves throughput; so each signal gets one listener and a Set behind it.

const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `listener` once when `signal` aborts (at once if it has). Returns how to stop listening. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => {};
  }
  let all = listeners.get(signal);
  if (all === undefined) {
    const created = new Set<() => void>();
    all = created;
    listeners.set(signal, created);
    signal.addEventListener("abort", () => [...created].forEach((call) => call()), { once: true });
  }
  const own = all;
  own.add(listener);
  return () => own.delete(listener);
}

/** Settles with `work`, or rejects with the signal's reason as soon as it aborts, even if `work` never looks at the signal. */
export function abortable<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, () => reject(signal.reason as Error));
    work.then(
      (value) => {
        stop();
        resolve(value);
      },
      (error: Error) => {
        stop();
        reject(error);
      },
    );
  });
}

/** The reason of a signal that ran out of time. */
export class DeadlineReached extends Error {
  constructor(seconds: number) {
    super(`The time limit of ${seconds} s is over.`);
    this.name = "DeadlineReached";
  }
}

/** A signal that aborts with `signal`, or with DeadlineReached after `seconds`. Release it when the rollout is over. */
export function withDeadline(
  signal: AbortSignal,
  seconds: number,
): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  const stop = onAbort(signal, () => controller.abort(signal.reason));
  const timer = setTimeout(() => controller.abort(new DeadlineReached(seconds)), seconds * 1000);
  return {
    signal: controller.signal,
    release: () => {
      stop();
      clearTimeout(timer);
    },
  };
}
