// Continuous batching inside the engine's thread, one synchronous step at a time: plan, compute, draw, report. Requests come and go
// between steps. Invariant: the tokens of a sequence depend on its request and the policies it met, never on what else ran.
import { type EnginePressure, HoneError, type PolicyRef } from "@hone/core";
import type { Kernels } from "../kernel/kernels.ts";
import type { StepModel } from "../model/step.ts";
import type { PolicyWeights } from "../model/weights.ts";
import { BatchWriter } from "./batch.ts";
import { TokenChooser } from "./choose.ts";
import { PolicyBindings } from "./policies.ts";
import { asHoneError, checkRequest, type SamplerOutcome, type SamplerRequest } from "./request.ts";
import { type Group, Scheduler } from "./scheduler.ts";
import type { Job, Sequence } from "./sequence.ts";
import { SequencePages } from "./sequence-pages.ts";
import { StopText } from "./stop-text.ts";

export type { SampledSequence, SamplerRequest } from "./request.ts";

export interface SamplerOptions {
  readonly model: StepModel;
  readonly kernels: Kernels;
  /** The policy a request is bound to now; asked before every step. Throws a HoneError when it is not held. */
  readonly policyOf: (policy: PolicyRef) => PolicyWeights;
  /** Text of token ids, for stop strings. */
  readonly textOf: (ids: Int32Array) => string;
  /** Most sequences in one step. */
  readonly capacity: number;
  /** Most new tokens in one step, at least `capacity`: long prompts are taken in pieces. */
  readonly stepTokens: number;
}

export class BatchSampler {
  readonly #options: SamplerOptions;
  readonly #pages: SequencePages;
  readonly #bindings: PolicyBindings;
  readonly #scheduler: Scheduler;
  readonly #batch: BatchWriter;
  readonly #chooser: TokenChooser;
  readonly #requests = new Map<number, { readonly job: Job; readonly onDone: SamplerRequest["onDone"] }>();
  /** Reported when the step is over: whoever is told may add and cancel. */
  readonly #outcomes: { readonly handle: number; readonly outcome: SamplerOutcome }[] = [];
  /** The token at hand, used again for each. */
  readonly #drawn = { token: 0, logprob: 0, untempered: 0, version: 0 };
  #nextHandle = 1;

  constructor(options: SamplerOptions) {
    const { model, kernels, capacity, stepTokens, policyOf, textOf } = options;
    const { pages, pageTokens, vocabulary } = model;
    if (!(capacity >= 1 && stepTokens >= capacity)) {
      throw new HoneError(`a sampler of ${capacity} sequences and ${stepTokens} tokens a step cannot work`, {
        code: "sampler",
        hint: "capacity is at least 1, stepTokens at least capacity.",
      });
    }
    this.#options = options;
    this.#pages = new SequencePages({ pages, pageTokens });
    this.#bindings = new PolicyBindings(policyOf);
    this.#batch = new BatchWriter(model, { capacity, stepTokens });
    this.#chooser = new TokenChooser({ kernels, vocabulary, capacity });
    this.#scheduler = new Scheduler({
      pages: this.#pages,
      bindings: this.#bindings,
      capacity,
      stepTokens,
      stopTextOf: ({ sampling: { stopStrings = [] }, prompt }) =>
        stopStrings.length === 0 ? undefined : new StopText({ stopStrings, textOf, from: prompt.length }),
    });
  }

  /** Checks everything and throws at once; otherwise `onDone` is called by a later step. */
  add(request: SamplerRequest): number {
    const { model } = this.#options;
    checkRequest(request, model);
    const { prompt, count, sampling, priority = 0, policy, onDone } = request;
    const handle = this.#nextHandle++;
    const job: Job = {
      kind: "job",
      handle,
      prompt: prompt.slice(),
      count,
      sampling,
      stopTokens: new Set(sampling.stopTokens),
      limitTokens: Math.min(prompt.length + sampling.maxTokens, model.contextTokens),
      binding: this.#bindings.bind(policy),
      priority,
      order: handle,
      index: 0,
      place: -1,
      live: new Set(),
      results: [],
      isEnded: false,
    };
    this.#requests.set(handle, { job, onDone });
    this.#scheduler.add(job);
    return handle;
  }

  /** `onDone` is not called afterwards. Nothing happens where the request is over. */
  cancel(handle: number): void {
    const request = this.#requests.get(handle);
    if (request !== undefined) this.#end(request.job);
    this.#requests.delete(handle);
  }

  /** One step over what runs. False when there is nothing to do. */
  step(): boolean {
    const hasWork = this.#scheduler.running + this.#scheduler.queued + this.#outcomes.length > 0;
    if (!hasWork) return false;
    const { groups, failures } = this.#scheduler.plan();
    for (const [job, error] of failures) this.#settle(job, { error });
    for (const group of groups) this.#run(group);
    this.#report();
    return true;
  }

  load(): EnginePressure {
    const { running, queued } = this.#scheduler;
    return { running, queued, capacity: this.#options.capacity };
  }

  #run(group: Group): void {
    const { model } = this.#options;
    const { weights } = group[0].job.binding;
    try {
      const drawing = group.filter((sequence) => sequence.take === sequence.pending);
      const logits = model.logits(weights, this.#batch.write(group));
      for (const sequence of group) this.#pages.advance(sequence);
      if (drawing.length > 0) this.#chooser.choose(drawing, logits, weights.version);
      drawing.forEach((sequence, row) => this.#append(sequence, row, weights.version));
    } catch (cause) {
      // Pages that were being written are not known to anybody: nothing half-computed stays.
      const error = asHoneError(cause);
      for (const { job } of group) this.#settle(job, { error });
    }
  }

  #append(sequence: Sequence, row: number, version: number): void {
    const { job } = sequence;
    if (job.isEnded) return;
    const { tokens, logprob, untempered } = this.#chooser;
    const drawn = this.#drawn;
    drawn.token = tokens[row] ?? 0;
    drawn.logprob = logprob[row] ?? Number.NaN;
    drawn.untempered = untempered[row] ?? Number.NaN;
    drawn.version = version;
    if (!Number.isFinite(drawn.logprob) || !Number.isFinite(drawn.untempered)) {
      const message = `the logits of policy ${version} at position ${sequence.length} are not finite`;
      const hint = "The weights have diverged: sample from an earlier policy, lower the learning rate.";
      this.#settle(job, { error: new HoneError(message, { code: "non-finite", hint }) });
      return;
    }
    const finish = sequence.append(drawn);
    if (finish === undefined) return;
    this.#scheduler.finish(sequence);
    job.results[sequence.index] = sequence.result(finish);
    if (job.live.size === 0 && job.index === job.count) this.#settle(job, { generation: { sequences: job.results } });
  }

  #settle(job: Job, outcome: SamplerOutcome): void {
    if (job.isEnded) return;
    this.#end(job);
    this.#outcomes.push({ handle: job.handle, outcome });
  }

  #end(job: Job): void {
    if (job.isEnded) return;
    job.isEnded = true;
    this.#scheduler.end(job);
    this.#bindings.release(job.binding);
  }

  #report(): void {
    for (let next = this.#outcomes.shift(); next !== undefined; next = this.#outcomes.shift()) {
      const { onDone } = this.#requests.get(next.handle) ?? {};
      this.#requests.delete(next.handle);
      onDone?.(next.outcome);
    }
  }
}
