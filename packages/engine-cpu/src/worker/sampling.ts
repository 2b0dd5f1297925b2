// The sampler's side of the engine: requests are taken in, sampled or scored in steps, and answered. What a request uses of a policy is
// leased until it is over, whether it was answered, failed or cancelled.
import type { EnginePressure, PolicyRef } from "@hone/core";
import { type AnswerOf, type QuestionOf, sequencesOf } from "../engine/protocol.ts";
import type { PolicyWeights } from "../model/weights.ts";
import type { BatchSampler } from "../sample/sampler.ts";
import type { Lease, Policies } from "./policies.ts";
import { Line, type LineJob } from "./work.ts";

export interface SamplingOptions {
  readonly policies: Policies;
  readonly sampler: BatchSampler;
  readonly score: (policy: PolicyWeights, question: QuestionOf<"score">) => Generator<void, Float32Array[]>;
  /** Resolves when texts of ids can be had: stop strings need them. */
  readonly loadTexts: () => Promise<void>;
  /** There is something to do. */
  readonly wake: () => void;
}

export interface Settle<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

interface Request {
  lease: Lease | undefined;
  /** Takes it out of wherever it is. */
  withdraw: (() => void) | undefined;
}

export class Sampling {
  readonly #options: SamplingOptions;
  /** Those under way, by the number of their call. */
  readonly #requests = new Map<number, Request>();
  readonly #scores: Line;
  #hasSequences = false;
  /** Sequences whose checkpoint or tokenizer is still being read. */
  #preparing = 0;

  constructor(options: SamplingOptions) {
    this.#options = options;
    this.#scores = new Line(options.wake);
  }

  load(): EnginePressure {
    const load = this.#options.sampler.load();
    return { ...load, queued: load.queued + this.#preparing };
  }

  /** Nothing is answered; whoever asked knows already. */
  cancel(id: number): void {
    this.#requests.get(id)?.withdraw?.();
    this.#end(id);
    this.#options.wake();
  }

  /** Reaches the sampler before it returns, unless a checkpoint or the tokenizer has to be read. */
  async generate(
    id: number,
    question: QuestionOf<"generate">,
    { resolve, reject }: Settle<AnswerOf<"generate">>,
  ): Promise<void> {
    const own = this.#begin(id);
    const { policy, request } = question;
    const count = sequencesOf({ method: "generate", ...question });
    this.#preparing += count;
    try {
      if ((request.sampling.stopStrings ?? []).length > 0) await this.#options.loadTexts();
      const ref = policy === "latest" ? policy : await this.#pin(id, own, policy);
      if (this.#requests.get(id) !== own) return;
      const { sampler } = this.#options;
      const handle = sampler.add({
        ...request,
        policy: ref,
        onDone: (outcome) => {
          if (!this.#end(id)) return;
          if ("error" in outcome) reject(outcome.error);
          else resolve(outcome.generation);
        },
      });
      own.withdraw = () => sampler.cancel(handle);
      this.#hasSequences = true;
    } catch (error) {
      if (this.#end(id)) reject(error);
    } finally {
      this.#preparing -= count;
      this.#options.wake();
    }
  }

  async score(
    id: number,
    question: QuestionOf<"score">,
    { resolve, reject }: Settle<AnswerOf<"score">>,
  ): Promise<void> {
    const own = this.#begin(id);
    try {
      await this.#pin(id, own, question.policy);
      const policy = own.lease?.policy;
      if (policy === undefined) return;
      const job: LineJob<Float32Array[]> = {
        start: () => this.#options.score(policy, question),
        resolve: (scores) => {
          if (this.#end(id)) resolve(scores);
        },
        reject: (error) => {
          if (this.#end(id)) reject(error);
        },
      };
      own.withdraw = () => this.#scores.remove(job);
      this.#scores.add(job);
    } catch (error) {
      if (this.#end(id)) reject(error);
    }
  }

  /** One step of sampling and one slice of scoring; whether there is more to do right away. */
  step(): boolean {
    if (this.#hasSequences) this.#hasSequences = this.#options.sampler.step();
    this.#scores.slice();
    return this.#hasSequences || this.#scores.isReady;
  }

  #begin(id: number): Request {
    const request: Request = { lease: undefined, withdraw: undefined };
    this.#requests.set(id, request);
    return request;
  }

  /** The policy as it is now, whatever is published later. A request that was cancelled meanwhile gets none. */
  async #pin(id: number, own: Request, policy: PolicyRef): Promise<PolicyRef> {
    const leased = this.#options.policies.lease(policy);
    const lease = leased instanceof Promise ? await leased : leased;
    if (this.#requests.get(id) === own) own.lease = lease;
    else lease.release();
    return lease.ref;
  }

  /** False when it was over already. */
  #end(id: number): boolean {
    this.#requests.get(id)?.lease?.release();
    return this.#requests.delete(id);
  }
}
