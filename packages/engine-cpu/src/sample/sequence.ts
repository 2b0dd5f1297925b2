// One request and one of its sequences as they grow. A sequence keeps its tokens when its pages are taken away: it can always be
// computed again. Arrays grow by doubling; a token costs no object.
import type { TokenSampling } from "@hone/core";
import type { Binding } from "./policies.ts";
import type { SampledSequence } from "./request.ts";
import type { StopText } from "./stop-text.ts";
import type { Ranked } from "./waiting.ts";

/** A request whose sequences run or wait. */
export interface Job extends Ranked {
  readonly kind: "job";
  readonly handle: number;
  readonly prompt: Int32Array;
  readonly count: number;
  readonly sampling: TokenSampling;
  readonly stopTokens: ReadonlySet<number>;
  /** Most tokens of a sequence, the prompt included. */
  readonly limitTokens: number;
  readonly binding: Binding;
  /** Sequences that have not been started come from here on. */
  index: number;
  /** Started and not finished. */
  readonly live: Set<Sequence>;
  /** By index. */
  readonly results: SampledSequence[];
  isEnded: boolean;
}

export interface Drawn {
  readonly token: number;
  readonly logprob: number;
  readonly untempered: number;
  readonly version: number;
}

export class Sequence implements Ranked {
  readonly kind = "sequence";
  readonly job: Job;
  readonly priority: number;
  readonly order: number;
  readonly index: number;
  place = -1;

  /** The prompt and what was sampled; the first `length` count. */
  tokens: Int32Array;
  length: number;
  /** Of its keys and values, in order. Full ones can be found by others. */
  readonly pages: number[] = [];
  /** Tokens whose keys and values are in the pages. */
  computed = 0;
  /** The policy that computed them. */
  policy = "";
  /** Tokens that the step at hand computes. */
  take = 0;

  readonly #stopText: StopText | undefined;
  #logprobs = new Float32Array(firstRoom);
  #untempered = new Float32Array(firstRoom);
  readonly #versions: number[] = [];
  readonly #versionLengths: number[] = [];

  constructor(job: Job, stopText: StopText | undefined) {
    this.job = job;
    this.priority = job.priority;
    this.order = job.order;
    this.index = job.index;
    this.tokens = new Int32Array(Math.min(job.prompt.length + firstRoom, job.limitTokens));
    this.tokens.set(job.prompt);
    this.length = job.prompt.length;
    this.#stopText = stopText;
  }

  /** Tokens that have to be computed before the next one can be drawn. */
  get pending(): number {
    return this.length - this.computed;
  }

  /** Adds a token; why it ends the sequence, if it does. */
  append({ token, logprob, untempered, version }: Drawn): "stop" | "length" | undefined {
    const at = this.length - this.job.prompt.length;
    if (this.length === this.tokens.length) {
      this.tokens = grown(this.tokens, new Int32Array(Math.min(this.length * 2, this.job.limitTokens)));
    }
    if (at === this.#logprobs.length) {
      this.#logprobs = grown(this.#logprobs, new Float32Array(at * 2));
      this.#untempered = grown(this.#untempered, new Float32Array(at * 2));
    }
    this.tokens[this.length++] = token;
    this.#logprobs[at] = logprob;
    this.#untempered[at] = untempered;
    const last = this.#versions.length - 1;
    if (this.#versions[last] === version) this.#versionLengths[last] = (this.#versionLengths[last] ?? 0) + 1;
    else {
      this.#versions.push(version);
      this.#versionLengths.push(1);
    }
    const isStopText = this.#stopText?.isCompleted(this.tokens, this.length) ?? false;
    if (isStopText || this.job.stopTokens.has(token)) return "stop";
    return this.length === this.job.limitTokens ? "length" : undefined;
  }

  result(finish: "stop" | "length"): SampledSequence {
    const first = this.job.prompt.length;
    return {
      ids: this.tokens.slice(first, this.length),
      logprobs: this.#logprobs.slice(0, this.length - first),
      untempered: this.#untempered.slice(0, this.length - first),
      policyVersion: { values: this.#versions, lengths: this.#versionLengths },
      finish,
    };
  }
}

const firstRoom = 64;

function grown<Numbers extends Int32Array | Float32Array>(old: Numbers, larger: Numbers): Numbers {
  larger.set(old);
  return larger;
}
