// Which policy a request is bound to, asked anew before every step: "latest" moves. Keys and values belong to one policy, named here
// by its version and its arrays: two runs may both have a version 3.
import type { PolicyRef } from "@hone/core";
import type { PolicyWeights } from "../model/weights.ts";

/** What the requests with one and the same reference share. */
export interface Binding {
  readonly ref: PolicyRef;
  /** As it was when it was last asked for. */
  readonly weights: PolicyWeights;
  /** Equal for equal policies, whatever reference led there. */
  readonly policy: string;
}

interface Held {
  readonly name: string;
  readonly binding: { -readonly [Field in keyof Binding]: Binding[Field] };
  users: number;
  askedAt: number;
}

export class PolicyBindings {
  readonly #policyOf: (ref: PolicyRef) => PolicyWeights;
  readonly #byName = new Map<string, Held>();
  readonly #held = new WeakMap<Binding, Held>();
  /** Weak: weights live as long as the engine holds them, not as long as pages of theirs are cached. */
  readonly #numbers = new WeakMap<object, number>();
  #nextNumber = 1;

  constructor(policyOf: (ref: PolicyRef) => PolicyWeights) {
    this.#policyOf = policyOf;
  }

  /** Throws where the policy is not held. To be released by whoever asked. */
  bind(ref: PolicyRef): Binding {
    const name = nameOf(ref);
    const known = this.#byName.get(name);
    if (known !== undefined) {
      this.#policyOf(ref);
      known.users++;
      return known.binding;
    }
    const weights = this.#policyOf(ref);
    const binding = { ref, weights, policy: this.#policyName(weights) };
    const held: Held = { name, binding, users: 1, askedAt: -1 };
    this.#byName.set(name, held);
    this.#held.set(binding, held);
    return binding;
  }

  release(binding: Binding): void {
    const held = this.#held.get(binding);
    if (held !== undefined && --held.users === 0) this.#byName.delete(held.name);
  }

  /** Brings the binding up to date, once per step. Throws where the policy is not held any more. */
  refresh(binding: Binding, step: number): void {
    const held = this.#held.get(binding);
    if (held === undefined || held.askedAt === step) return;
    const weights = this.#policyOf(binding.ref);
    held.askedAt = step;
    if (weights === binding.weights) return;
    held.binding.weights = weights;
    held.binding.policy = this.#policyName(weights);
  }

  #policyName({ version, decoder, adapter }: PolicyWeights): string {
    return `policy ${version}/${this.#number(decoder)}/${adapter === undefined ? 0 : this.#number(adapter)}`;
  }

  #number(part: object): number {
    const known = this.#numbers.get(part);
    if (known !== undefined) return known;
    this.#numbers.set(part, this.#nextNumber);
    return this.#nextNumber++;
  }
}

function nameOf(ref: PolicyRef): string {
  if (typeof ref === "string") return ref;
  return "version" in ref ? `version ${ref.version}` : `checkpoint ${ref.checkpoint}`;
}
