// Work on items as they are read, a bounded number at a time. The next item is asked for only when there is room for it, so an endless
// source is never held in memory. Invariant: nothing new starts after an abort or after the first error.

export interface PoolOptions {
  readonly limit: number;
  /** After an abort, work under way has this long to end; then it is left behind. */
  readonly graceMs: number;
  readonly signal: AbortSignal;
}

/** True when every item was worked on to its end: `work` says false for one that was cut short. Throws the first error, after what was under way has ended. */
export async function forEachConcurrent<Item>(
  items: AsyncIterable<Item>,
  work: (item: Item) => Promise<boolean>,
  { limit, graceMs, signal }: PoolOptions,
): Promise<boolean> {
  const iterator = items[Symbol.asyncIterator]();
  let isExhausted = false;
  let isComplete = true;
  let failed: { readonly error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    while (!signal.aborted && failed === undefined && !isExhausted) {
      try {
        const next = await iterator.next();
        if (next.done === true) isExhausted = true;
        else if (signal.aborted || !(await work(next.value))) isComplete = false;
      } catch (error) {
        failed ??= { error };
      }
    }
  };
  const workers = Promise.all(Array.from({ length: limit }, worker));
  const isOver = await endsInTime(workers, graceMs, signal);
  // A source that is still being asked closes when it answers: nobody waits for it.
  iterator.return?.().catch(() => undefined);
  if (failed !== undefined) throw failed.error;
  return isOver && isExhausted && isComplete;
}

async function endsInTime(workers: Promise<unknown>, graceMs: number, signal: AbortSignal): Promise<boolean> {
  let stop: () => void = () => undefined;
  const graceOver = new Promise<false>((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const wait = (): void => {
      timer = setTimeout(() => resolve(false), graceMs);
    };
    stop = () => {
      signal.removeEventListener("abort", wait);
      clearTimeout(timer);
    };
    if (signal.aborted) wait();
    else signal.addEventListener("abort", wait, { once: true });
  });
  try {
    return await Promise.race([workers.then(() => true), graceOver]);
  } finally {
    stop();
  }
}
