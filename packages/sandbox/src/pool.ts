// Sandboxes ready before they are asked for, and never more than a number of them at once. Who comes first is served first; waiting can be called
// off. A sandbox is used by one lease only: what is given back is closed, never used again. Closing the pool closes everything it opened.
import { type CallOptions, canonicalJson, type SandboxLease, type SandboxProvider, type SandboxSpec } from "@hone/core";
import { onAbort } from "./shared/abort.ts";
import { sandboxError } from "./shared/errors.ts";

export interface PoolOptions {
  /** Sandboxes that exist at the same time, those ready and those in use together. */
  readonly maxOpen: number;
  /** Kept ready for specs like this one; files may differ, they are written when the sandbox is taken. */
  readonly prewarm?: { readonly count: number; readonly spec: SandboxSpec };
}
export type SandboxPool = SandboxProvider & AsyncDisposable;

export function pool(provider: SandboxProvider, options: PoolOptions): SandboxPool {
  if (!(options.maxOpen >= 1)) throw sandboxError("bad-argument", `maxOpen must be 1 or more, not ${options.maxOpen}.`);
  return new Pool(provider, options);
}

/** What a waiter gets: a ready sandbox, or (undefined) a place to open one in. */
type Granted = SandboxLease | undefined;
interface Waiter {
  readonly isWarm: boolean;
  readonly grant: (granted: Granted) => void;
  readonly refuse: (reason: unknown) => void;
}

class Pool implements SandboxPool {
  readonly name: string;
  readonly #provider: SandboxProvider;
  readonly #options: PoolOptions;
  readonly #waiters: Waiter[] = [];
  readonly #inUse = new Set<SandboxLease>();
  readonly #openings = new Set<AbortController>();
  /** Openings and closings under way. */
  readonly #pending = new Set<Promise<unknown>>();
  #ready: SandboxLease[] = [];
  /** Places taken: ready, in use, being opened, being closed. */
  #taken = 0;
  #warming = 0;
  #isClosed = false;

  constructor(provider: SandboxProvider, options: PoolOptions) {
    this.name = provider.name;
    this.#provider = provider;
    this.#options = options;
    this.#warm();
  }

  open(spec: SandboxSpec, { signal }: CallOptions): Promise<SandboxLease> {
    return this.#track(this.#open(spec, signal));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const opening of this.#openings) opening.abort(closedPool());
    for (const waiter of this.#waiters.slice()) waiter.refuse(closedPool());
    const leases = [...this.#ready, ...this.#inUse];
    this.#ready = [];
    this.#inUse.clear();
    await Promise.all(leases.map((lease) => lease[Symbol.asyncDispose]()));
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  async #open(spec: SandboxSpec, signal: AbortSignal): Promise<SandboxLease> {
    signal.throwIfAborted();
    if (this.#isClosed) throw closedPool();
    const granted = await this.#acquire(this.#isWarmSpec(spec), signal);
    const lease = await (granted === undefined ? this.#openPlaced(spec, signal) : this.#dress(granted, spec, signal));
    if (!this.#isClosed) return this.#lend(lease);
    await this.#close(lease);
    throw closedPool();
  }

  async #acquire(isWarm: boolean, signal: AbortSignal): Promise<Granted> {
    const isFirst = this.#waiters.length === 0;
    const ready = isFirst && isWarm ? this.#ready.shift() : undefined;
    if (ready !== undefined) return ready;
    if (isFirst && this.#taken < this.#options.maxOpen) {
      this.#taken++;
      return undefined;
    }
    return new Promise<Granted>((resolve, reject) => {
      let stopListening = (): void => undefined;
      const leave = (): void => {
        stopListening();
        const index = this.#waiters.indexOf(waiter);
        if (index !== -1) this.#waiters.splice(index, 1);
      };
      const waiter: Waiter = {
        isWarm,
        grant: (granted) => {
          leave();
          resolve(granted);
        },
        refuse: (reason) => {
          leave();
          reject(reason);
        },
      };
      this.#waiters.push(waiter);
      stopListening = onAbort(signal, waiter.refuse);
      // A ready sandbox of another kind makes way.
      const unneeded = this.#ready.shift();
      if (unneeded !== undefined) void this.#track(this.#close(unneeded)).catch(() => undefined);
    });
  }

  /** Opens in a place already taken, and gives the place back if that fails. */
  async #openPlaced(spec: SandboxSpec, signal?: AbortSignal): Promise<SandboxLease> {
    const opening = new AbortController();
    const stopListening = onAbort(signal, (reason) => opening.abort(reason));
    this.#openings.add(opening);
    if (this.#isClosed) opening.abort(closedPool());
    try {
      const lease = await this.#provider.open(spec, { signal: opening.signal });
      if (!opening.signal.aborted) return lease;
      await lease[Symbol.asyncDispose]();
      throw opening.signal.reason;
    } catch (error) {
      this.#free();
      throw error;
    } finally {
      this.#openings.delete(opening);
      stopListening();
    }
  }

  /** A ready one with the files asked for; should it have died while it waited, a fresh one in its place. */
  async #dress(ready: SandboxLease, spec: SandboxSpec, signal: AbortSignal): Promise<SandboxLease> {
    const isAlive = await ready.sandbox.list(".").then(
      () => true,
      () => false,
    );
    if (!isAlive) {
      try {
        await ready[Symbol.asyncDispose]();
      } catch {
        // It is dead already; what counts is the next one.
      }
      return this.#openPlaced(spec, signal);
    }
    try {
      for (const [path, content] of Object.entries(spec.files ?? {})) await ready.sandbox.write(path, content);
      signal.throwIfAborted();
      return ready;
    } catch (error) {
      await this.#close(ready);
      throw error;
    }
  }

  /** Given back once, whatever its holder does. */
  #lend(lease: SandboxLease): SandboxLease {
    this.#inUse.add(lease);
    this.#warm();
    let closing: Promise<void> | undefined;
    const giveBack = (): Promise<void> => {
      this.#inUse.delete(lease);
      return this.#track(this.#close(lease));
    };
    const snapshot = lease.snapshot?.bind(lease);
    return {
      sandbox: lease.sandbox,
      ...(snapshot === undefined ? {} : { snapshot }),
      [Symbol.asyncDispose]: () => (closing ??= giveBack()),
    };
  }

  async #close(lease: SandboxLease): Promise<void> {
    try {
      await lease[Symbol.asyncDispose]();
    } finally {
      this.#free();
    }
  }

  /** A place has become free: for who waits longest, else for warming. */
  #free(): void {
    const [next] = this.#waiters;
    if (next !== undefined) {
      next.grant(undefined);
      return;
    }
    this.#taken--;
    this.#warm();
  }

  /** Opens what is missing to the number of ready ones. A failure is left for the next who opens to meet. */
  #warm(): void {
    const { prewarm, maxOpen } = this.#options;
    if (prewarm === undefined || this.#isClosed) return;
    while (this.#ready.length + this.#warming < prewarm.count && this.#taken < maxOpen) {
      this.#taken++;
      this.#warming++;
      const opening = this.#openPlaced(withoutFiles(prewarm.spec)).finally(() => this.#warming--);
      void this.#track(opening.then((lease) => this.#settle(lease))).catch(() => undefined);
    }
  }

  /** A warm sandbox has become ready; who came meanwhile is served with it. */
  #settle(lease: SandboxLease): void {
    const [first] = this.#waiters;
    if (first === undefined && !this.#isClosed) this.#ready.push(lease);
    else if (first?.isWarm === true) first.grant(lease);
    else void this.#track(this.#close(lease)).catch(() => undefined);
  }

  #isWarmSpec(spec: SandboxSpec): boolean {
    const { prewarm } = this.#options;
    return prewarm !== undefined && canonicalJson(withoutFiles(spec)) === canonicalJson(withoutFiles(prewarm.spec));
  }

  #track<T>(work: Promise<T>): Promise<T> {
    const tracked = work.finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
    return tracked;
  }
}

function withoutFiles(spec: SandboxSpec): SandboxSpec {
  const { files: _files, ...rest } = spec;
  return rest;
}

const closedPool = (): Error => sandboxError("sandbox-closed", "The pool of sandboxes is closed.");
