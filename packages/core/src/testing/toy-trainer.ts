// The toy engine's trainer. Calls run one after the other in the order they were made; a step is what lies between two updates.
// Invariant: the policy changes in `update` only, and only when the whole step succeeded. A failed update ends its step: the gradient is zero again.
import type { LossReport, OptimizerStep, Trainer, TrainerSpec, UpdateReport } from "../engine.ts";
import { HoneError } from "../errors.ts";
import { type LossSpec, lossTerm } from "../loss.ts";
import { expandRuns } from "../runs.ts";
import { columnLengths, type Sample } from "../sample.ts";
import { encodeCheckpoint, type ToyCheckpoint } from "./toy-checkpoint.ts";
import { fillLogprobs, type ToyPolicy } from "./toy-policy.ts";
import { adamStep, type ToyMoments, type ToyTuning } from "./toy-tuning.ts";

/** What the trainer needs of the engine that opened it. */
export interface ToyTrainerHost {
  readonly contextTokens: number;
  /** Throws when the engine is closed or has opened another trainer since. */
  check(): void;
  publish(policy: ToyPolicy): void;
  save(name: string, bytes: Uint8Array): Promise<void>;
  export(directory: string, bytes: Uint8Array): Promise<void>;
}

export interface ToyTrainerStart extends Pick<TrainerSpec, "adapter"> {
  readonly seed: number;
  readonly policy: ToyPolicy;
  readonly tuning: ToyTuning;
  readonly parameters: Float64Array;
  readonly moments: ToyMoments;
}

export function createToyTrainer(start: ToyTrainerStart, host: ToyTrainerHost): Trainer {
  const { tuning, adapter, seed } = start;
  const { vocabularySize } = start.policy;
  let { policy, parameters, moments } = start;
  let gradient = new Float64Array(vocabularySize ** 2);
  let failure: unknown;
  let tail: Promise<unknown> = Promise.resolve();

  function inOrder<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const result = tail.then(() => {
      host.check();
      return work();
    });
    tail = result.catch(() => undefined);
    return result;
  }

  function update(step: OptimizerStep): UpdateReport {
    const summed = gradient;
    const failed = failure;
    gradient = new Float64Array(vocabularySize ** 2);
    failure = undefined;
    if (failed !== undefined) {
      throw new HoneError(`no update: a forwardBackward before it failed (${messageOf(failed)})`, {
        code: "failed-step",
        hint: "Repeat the step, or open the trainer again from its last checkpoint.",
        cause: failed,
      });
    }
    checkStep(step);
    const next = adamStep(parameters, tuning.gradient(parameters, summed), moments, step);
    ({ parameters, moments } = next);
    policy = { version: policy.version + 1, vocabularySize, logits: tuning.logits(parameters) };
    return { version: policy.version, gradientNorm: next.gradientNorm, metrics: {} };
  }

  const snapshot = (): ToyCheckpoint => ({
    version: policy.version,
    vocabularySize,
    seed,
    adapter,
    parameters,
    moments,
  });

  return {
    forwardBackward: (samples, loss) =>
      inOrder(() => {
        try {
          return accumulate({ policy, samples, loss, gradient, contextTokens: host.contextTokens });
        } catch (error) {
          failure ??= error;
          throw error;
        }
      }),
    update: (step) => inOrder(() => update(step)),
    publish: () =>
      inOrder(() => {
        host.publish(policy);
        return { version: policy.version };
      }),
    save: (name) =>
      inOrder(async () => {
        await host.save(name, encodeCheckpoint(snapshot()));
        return { checkpoint: name };
      }),
    export: (directory) => inOrder(() => host.export(directory, encodeCheckpoint(snapshot()))),
  };
}

interface Accumulation {
  readonly policy: ToyPolicy;
  readonly samples: readonly Sample[];
  readonly loss: LossSpec;
  /** By the table; added to. */
  readonly gradient: Float64Array;
  readonly contextTokens: number;
}

function accumulate({ policy, samples, loss, gradient, contextTokens }: Accumulation): LossReport {
  if (samples.length === 0) throw bad("forwardBackward got no samples");
  for (const sample of samples) checkSample(sample, policy.vocabularySize, contextTokens);
  const row = new Float64Array(policy.vocabularySize);
  let total = 0;
  let trained = 0;
  const logprobs = samples.map((sample) => {
    const { tokens, weight, advantage, logprob } = sample;
    const current = new Float32Array(tokens.length);
    const temperatures = Float64Array.from(expandRuns(sample.temperature));
    // The first token follows nothing: it has no logprob and no term.
    for (let position = 1; position < tokens.length; position++) {
      const previous = tokens[position - 1]!;
      const token = tokens[position]!;
      fillLogprobs(policy, previous, temperatures[position]!, row);
      current[position] = row[token]!;
      if (loss.type === "none" || weight[position] === 0) continue;
      const { term, slope } = lossTerm(loss, row[token]!, logprob[position]!, advantage[position]!);
      total += weight[position]! * term;
      trained++;
      const push = (weight[position]! * slope) / (temperatures[position] || 1);
      if (!Number.isFinite(total) || !Number.isFinite(push)) {
        const where = `the loss of sample ${sample.id} is not a finite number at token ${position}`;
        throw new HoneError(where, { code: "non-finite" });
      }
      const from = previous * policy.vocabularySize;
      for (let next = 0; next < row.length; next++) {
        gradient[from + next] = gradient[from + next]! + push * ((next === token ? 1 : 0) - Math.exp(row[next]!));
      }
    }
    return current;
  });
  return { loss: total, logprobs, metrics: { tokens: trained } };
}

function checkSample(sample: Sample, vocabularySize: number, contextTokens: number): void {
  const { tokens } = sample;
  if (tokens.length > contextTokens) throw bad(`sample ${sample.id} has ${tokens.length} tokens, of ${contextTokens}`);
  for (const [name, length] of columnLengths(sample)) {
    if (length === tokens.length) continue;
    throw bad(`sample ${sample.id}: ${name} has length ${length}, and there are ${tokens.length} tokens`);
  }
  checkTokens(tokens, vocabularySize, `sample ${sample.id}`);
}

/** `what` names the column in the error. */
export function checkTokens(ids: Int32Array, vocabularySize: number, what: string): void {
  const at = ids.findIndex((id) => id < 0 || id >= vocabularySize);
  if (at >= 0) throw bad(`${what}: token ${ids[at]} at position ${at} is outside the vocabulary of ${vocabularySize}`);
}

function checkStep({ learningRate, betas, epsilon, weightDecay, gradientClip }: OptimizerStep): void {
  const isValid =
    betas.every((beta) => beta >= 0 && beta < 1) &&
    [learningRate, epsilon, weightDecay, gradientClip].every((value) => Number.isFinite(value) && value >= 0);
  if (!isValid) throw bad("an optimiser step needs betas in [0, 1) and other numbers that are finite and not negative");
}

function bad(message: string): HoneError {
  return new HoneError(message, { code: "bad-request" });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
