// Work in slices. A generator yields nothing where other work may run, or a promise that it waits for; one that waits takes no time.
// A line runs its works one after the other, in the order they came.

export type Work<Result> = Generator<void | Promise<unknown>, Result, unknown>;

/** `const bytes = yield* waitFor(readFile(path))` */
export function* waitFor<Value>(promise: Promise<Value>): Generator<Promise<Value>, Value, unknown> {
  return (yield promise) as Value;
}

export interface LineJob<Result> {
  /** Called when its turn comes. */
  readonly start: () => Work<Result>;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

interface Running {
  readonly job: LineJob<unknown>;
  readonly work: Work<unknown>;
  /** How the work goes on, once it does not wait any more. */
  resume: (() => IteratorResult<void | Promise<unknown>, unknown>) | undefined;
}

export class Line {
  readonly #jobs: LineJob<unknown>[] = [];
  readonly #wake: () => void;
  #running: Running | undefined;

  /** `wake` is called when there is something to do again. */
  constructor(wake: () => void) {
    this.#wake = wake;
  }

  add<Result>(job: LineJob<Result>): void {
    this.#jobs.push(job as LineJob<unknown>);
    this.#wake();
  }

  /** Ends it without settling it, wherever it is. */
  remove<Result>(job: LineJob<Result>): void {
    const at = this.#jobs.indexOf(job as LineJob<unknown>);
    if (at >= 0) this.#jobs.splice(at, 1);
    if (this.#running?.job !== job) return;
    this.#running.work.return(undefined);
    this.#running = undefined;
    this.#wake();
  }

  /** Whether a slice would do anything now. */
  get isReady(): boolean {
    return this.#running === undefined ? this.#jobs.length > 0 : this.#running.resume !== undefined;
  }

  /** Runs until the work gives way. */
  slice(): void {
    const running = (this.#running ??= this.#next());
    if (running?.resume === undefined) return;
    try {
      const { resume } = running;
      running.resume = undefined;
      const { done = false, value } = resume();
      if (done) this.#end(running, () => running.job.resolve(value));
      else if (value instanceof Promise) this.#waitFor(running, value);
      else running.resume = () => running.work.next();
    } catch (error) {
      this.#end(running, () => running.job.reject(error));
    }
  }

  #next(): Running | undefined {
    const job = this.#jobs.shift();
    if (job === undefined) return undefined;
    const work = job.start();
    return { job, work, resume: () => work.next() };
  }

  #waitFor(running: Running, promise: Promise<unknown>): void {
    const goOn = (resume: Running["resume"]): void => {
      running.resume = resume;
      this.#wake();
    };
    void promise.then(
      (value) => goOn(() => running.work.next(value)),
      (error: unknown) => goOn(() => running.work.throw(error)),
    );
  }

  #end(running: Running, settle: () => void): void {
    // Removed meanwhile by its own work: nobody waits for it.
    if (this.#running !== running) return;
    this.#running = undefined;
    settle();
  }
}
