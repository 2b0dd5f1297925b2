// The policies that can be sampled from: the base, what was published, and checkpoints. Published ones are kept, newest first, as far
// as memory allows; one in use is never dropped. Memory of dropped ones is given back.
import { HoneError, type PolicyRef } from "@hone/core";
import { leastSnapshots } from "../engine/defaults.ts";
import type { KernelMemory } from "../kernel/memory.ts";
import type { PolicyWeights } from "../model/weights.ts";
import { ownArrays } from "./policy-arrays.ts";

export interface PoliciesOptions {
  readonly base: PolicyWeights;
  readonly memory: Pick<KernelMemory, "release">;
  /** For published policies. */
  readonly snapshotBytes: number;
  readonly loadCheckpoint: (name: string) => Promise<LoadedPolicy>;
}

/** A checkpoint as a policy. Two of the same name and another `id` are different ones. */
export interface LoadedPolicy {
  readonly id: string;
  /** Makes the weights; only called when this `id` is not there yet. */
  readonly read: () => Promise<PolicyWeights>;
}

/** The right to use a policy until it is given back. `ref` stands for this very policy, whatever gets its version or name meanwhile. */
export interface Lease {
  readonly ref: PolicyRef;
  readonly policy: PolicyWeights;
  release(): void;
}

interface Entry {
  readonly policy: PolicyWeights;
  /** A name that no other policy ever has. */
  readonly ref: PolicyRef;
  readonly bytes: number;
  uses: number;
  /** False once nobody can ask for it any more: it goes when its last user is done. */
  isKept: boolean;
}

/** Of those that nobody uses. */
const keptCheckpoints = 2;

export class Policies {
  readonly #options: PoliciesOptions;
  readonly #base: Entry;
  /** By version; the newest last. */
  readonly #published = new Map<number, Entry>();
  /** By id; the last one used last. */
  readonly #checkpoints = new Map<string, Entry>();
  readonly #loading = new Map<string, Promise<Entry>>();
  /** In use, by the reference that their leases gave out. */
  readonly #leased = new Map<PolicyRef, Entry>();
  #entries = 0;
  #latest: Entry;

  constructor(options: PoliciesOptions) {
    this.#options = options;
    this.#base = this.#entry(options.base, 0);
    this.#latest = this.#base;
  }

  /** Adds a policy and makes it the latest. Its arrays belong to the registry from now on. */
  publish(policy: PolicyWeights): void {
    const before = this.#published.get(policy.version);
    if (before !== undefined) this.#drop(policy.version, before);
    const bytes = this.#arrays(policy).reduce((sum, { byteLength }) => sum + byteLength, 0);
    this.#latest = this.#entry(policy, bytes);
    this.#published.set(policy.version, this.#latest);
    this.#trim();
  }

  /** A trainer starts: what another one published after this version never happened. */
  restart(policy: PolicyWeights): void {
    for (const [version, entry] of this.#published) if (version > policy.version) this.#drop(version, entry);
    this.publish(policy);
  }

  /** Whether this version is the latest already. */
  isLatest(version: number): boolean {
    return this.#published.get(version) === this.#latest;
  }

  /** For the sampler, at every token: "latest" is looked up anew, a leased policy stays what it was. */
  readonly policyOf = (ref: PolicyRef): PolicyWeights => {
    if (ref === "latest") return this.#latest.policy;
    return (this.#leased.get(ref) ?? this.#find(ref)).policy;
  };

  /** Pins a policy; "latest" is the one of now. */
  lease(ref: PolicyRef): Lease | Promise<Lease> {
    if (typeof ref === "object" && "checkpoint" in ref) return this.#leaseCheckpoint(ref.checkpoint);
    return this.#use(this.#find(ref));
  }

  #find(ref: PolicyRef): Entry {
    if (ref === "latest") return this.#latest;
    if (ref === "base") return this.#base;
    const version = "version" in ref ? ref.version : Number.NaN;
    const entry = this.#published.get(version);
    if (entry !== undefined) return entry;
    const kept = [...this.#published.keys()].sort((left, right) => left - right);
    throw new HoneError(`policy ${version} is not published, or no longer kept`, {
      code: "unknown-policy",
      hint:
        kept.length === 0 ? "No trainer was opened yet." : `Kept: ${kept.join(", ")}. More snapshotBytes keep more.`,
    });
  }

  async #leaseCheckpoint(name: string): Promise<Lease> {
    const { id, read } = await this.#options.loadCheckpoint(name);
    const entry = this.#checkpoints.get(id) ?? (await this.#load(id, read));
    // Used last, so that it stays longest.
    this.#checkpoints.delete(id);
    this.#checkpoints.set(id, entry);
    const lease = this.#use(entry);
    this.#trimCheckpoints();
    return lease;
  }

  #load(id: string, read: () => Promise<PolicyWeights>): Promise<Entry> {
    const underWay = this.#loading.get(id);
    if (underWay !== undefined) return underWay;
    const loading = read()
      .then((policy) => this.#entry(policy, 0))
      .finally(() => this.#loading.delete(id));
    this.#loading.set(id, loading);
    return loading;
  }

  #entry(policy: PolicyWeights, bytes: number): Entry {
    return { policy, ref: { checkpoint: `lease ${this.#entries++}` }, bytes, uses: 0, isKept: true };
  }

  #use(entry: Entry): Lease {
    const { ref, policy } = entry;
    entry.uses++;
    this.#leased.set(ref, entry);
    let isHeld = true;
    return {
      ref,
      policy,
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        if (--entry.uses === 0) this.#leased.delete(ref);
        this.#giveBack(entry);
        this.#trimCheckpoints();
      },
    };
  }

  #trim(): void {
    let bytes = [...this.#published.values()].reduce((sum, entry) => sum + entry.bytes, 0);
    for (const [version, entry] of this.#published) {
      if (this.#published.size <= leastSnapshots || bytes <= this.#options.snapshotBytes) return;
      if (entry.uses > 0) continue;
      bytes -= entry.bytes;
      this.#drop(version, entry);
    }
  }

  #trimCheckpoints(): void {
    let idle = [...this.#checkpoints.values()].filter(({ uses }) => uses === 0).length;
    for (const [id, entry] of this.#checkpoints) {
      if (idle <= keptCheckpoints) return;
      if (entry.uses > 0) continue;
      idle--;
      this.#checkpoints.delete(id);
      entry.isKept = false;
      this.#giveBack(entry);
    }
  }

  #drop(version: number, entry: Entry): void {
    this.#published.delete(version);
    entry.isKept = false;
    this.#giveBack(entry);
  }

  #giveBack(entry: Entry): void {
    if (entry.isKept || entry.uses > 0) return;
    for (const array of this.#arrays(entry.policy)) this.#options.memory.release(array);
  }

  #arrays(policy: PolicyWeights): readonly Float32Array[] {
    return ownArrays(policy, this.#base.policy);
  }
}
