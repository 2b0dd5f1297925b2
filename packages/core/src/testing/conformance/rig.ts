// What the conformance checks of engines stand on: the test functions handed in, a fresh engine per check, and samples made by that engine.
// Nothing here knows a test runner; vitest's functions fit, and so do others of the same shape.
import type { Awaitable, RolloutId, SampleId } from "../../data.ts";
import type {
  AdapterSpec,
  CheckpointRef,
  Engine,
  EngineInfo,
  GeneratedSequence,
  OptimizerStep,
  PolicyRef,
  TokenSampling,
  Trainer,
} from "../../engine.ts";
import { HoneError } from "../../errors.ts";
import { runsOf } from "../../runs.ts";
import type { Sample } from "../../sample.ts";

/** The part of a test runner that a suite needs: `import { describe, expect, test } from "vitest"`. */
export interface TestApi {
  describe(name: string, body: () => void): unknown;
  test(name: string, body: (context: TestContext) => Promise<void>): unknown;
  readonly expect: (actual: unknown, message?: string) => TestMatchers;
}
export interface TestContext {
  skip(note?: string): unknown;
}
export interface TestMatchers {
  toBe(expected: unknown): unknown;
  toEqual(expected: unknown): unknown;
  toBeGreaterThan(limit: number): unknown;
  toBeLessThanOrEqual(limit: number): unknown;
}

export interface EngineConformanceOptions {
  readonly name: string;
  /** A fresh engine for every check; it is closed afterwards. Load heavy weights once, outside. */
  readonly create: () => Awaitable<Engine>;
  readonly adapter: AdapterSpec | "full";
  /** At least two ids that the model knows. */
  readonly prompt: Int32Array;
  /** Ids from here on are no tokens. */
  readonly vocabularySize: number;
  /** Largest difference between logprobs that should be equal; 0 is used where the engine says it is deterministic. */
  readonly tolerance?: number;
  /** Large enough that one update can be seen above the tolerance. */
  readonly learningRate?: number;
}

/** One engine under test. */
export interface Rig {
  readonly engine: Engine;
  readonly options: Required<EngineConformanceOptions>;
  readonly expect: TestApi["expect"];
}

/** Registers a check; `unless` gives the reason why an engine with this info need not pass it. */
export type Check = (
  name: string,
  body: (rig: Rig) => Promise<void>,
  unless?: (info: EngineInfo) => string | undefined,
) => void;

export function checkWith(api: TestApi, given: EngineConformanceOptions): Check {
  const options = { tolerance: 1e-4, learningRate: 0.05, ...given };
  return (name, body, unless) => {
    api.test(name, async (context) => {
      const engine = await options.create();
      try {
        const reason = unless?.(engine.info);
        if (reason === undefined) await body({ engine, options, expect: api.expect });
        else context.skip(reason);
      } finally {
        await engine.close();
      }
    });
  };
}

export const never: AbortSignal = new AbortController().signal;

export function stepOf(rig: Rig, change: Partial<OptimizerStep> = {}): OptimizerStep {
  const { learningRate } = rig.options;
  return { learningRate, betas: [0.9, 0.95], epsilon: 1e-8, weightDecay: 0, gradientClip: 0, ...change };
}

/** A trainer whose start is published. */
export async function openTrainer({ engine, options }: Rig, from?: CheckpointRef): Promise<Trainer> {
  const start = from === undefined ? {} : { from };
  const trainer = await engine.open({ model: engine.info.model, adapter: options.adapter, ...start });
  await trainer.publish();
  return trainer;
}

export interface Generating extends Partial<TokenSampling> {
  readonly policy?: PolicyRef;
  readonly count?: number;
}

export async function generate(rig: Rig, how: Generating = {}): Promise<readonly GeneratedSequence[]> {
  const { policy = "latest", count = 1, ...change } = how;
  const sampling = { maxTokens: 8, temperature: 1, seed: 1, stopTokens: [], ...change };
  const request = { prompt: rig.options.prompt, count, sampling };
  return (await rig.engine.sampler(policy).generate(request, { signal: never })).sequences;
}

/** What the latest policy said to the prompt, as a sample: advantages of both signs, weight 1 on what was sampled. */
export async function sampleFrom(rig: Rig, how: Generating = {}): Promise<Sample> {
  const { prompt } = rig.options;
  const [sequence] = await generate(rig, how);
  if (sequence === undefined) throw new Error("generate gave no sequence");
  const length = prompt.length + sequence.ids.length;
  const column = (of: (at: number) => number): Float32Array =>
    Float32Array.from({ length }, (_, index) => (index < prompt.length ? 0 : of(index - prompt.length)));
  return {
    id: `conformance/${how.seed ?? 1}` as SampleId,
    rollout: "conformance" as RolloutId,
    agent: "agent",
    env: "conformance",
    branch: 0,
    tokens: Int32Array.of(...prompt, ...sequence.ids),
    weight: column(() => 1),
    advantage: column((at) => (at % 3) - 0.8),
    logprob: column((at) => sequence.logprobs[at] ?? 0),
    temperature: runsOf(how.temperature ?? 1, length),
    policyVersion: runsOf(0, length),
  };
}

/** As if an older policy had sampled it: some ratios above 1, some below, some 1. */
export function offPolicy(sample: Sample): Sample {
  const drift = (at: number): number => [0, 0.3, -0.3][at % 3] ?? 0;
  return { ...sample, logprob: sample.logprob.map((value, at) => (sample.weight[at] === 0 ? 0 : value + drift(at))) };
}

/** Of all tokens of the sample but the first, under a policy. */
export async function scoreSample(
  rig: Rig,
  sample: Sample,
  { policy = "latest", temperature = 1 }: { readonly policy?: PolicyRef; readonly temperature?: number } = {},
): Promise<Float32Array> {
  const [logprobs] = await rig.engine.sampler(policy).score([sample.tokens], { temperature, signal: never });
  return logprobs ?? new Float32Array();
}

/** Equal logprobs: to the bit where the same numbers were computed twice on a deterministic engine, else within the tolerance. */
export function expectSame(
  rig: Rig,
  actual: Float32Array,
  expected: Float32Array,
  { isRepeat = false, what = "logprobs" }: { readonly isRepeat?: boolean; readonly what?: string } = {},
): void {
  rig.expect(actual.length, `${what}: how many`).toBe(expected.length);
  const limit = isRepeat && rig.engine.info.deterministic ? 0 : rig.options.tolerance;
  rig.expect(difference(actual, expected), `${what}: largest difference`).toBeLessThanOrEqual(limit);
}

export function expectDifferent(rig: Rig, actual: Float32Array, expected: Float32Array, what: string): void {
  rig.expect(difference(actual, expected), `${what}: largest difference`).toBeGreaterThan(rig.options.tolerance);
}

/** Sums over tokens: the tolerance grows with them. */
export function expectNumber(rig: Rig, actual: number, expected: number, what: string): void {
  const limit = rig.options.tolerance * 20 * (1 + Math.abs(expected));
  rig.expect(Math.abs(actual - expected), `${what}: ${actual} instead of ${expected}`).toBeLessThanOrEqual(limit);
}

function difference(a: Float32Array, b: Float32Array): number {
  return a.reduce((largest, value, index) => Math.max(largest, Math.abs(value - (b[index] ?? Number.NaN))), 0);
}

/** Why a promise was rejected; a promise that is kept fails the check. */
export async function reasonOf(promise: Promise<unknown>, what: string): Promise<unknown> {
  const outcome = await promise.then(
    () => ({ isKept: true as const }),
    (reason: unknown) => ({ isKept: false as const, reason }),
  );
  if (outcome.isKept) throw new Error(`${what} was accepted; it has to be refused`);
  return outcome.reason;
}

/** Refused with an error of ours that says what is wrong. */
export async function expectRefused(rig: Rig, promise: Promise<unknown>, what: string, mentions = ""): Promise<void> {
  const reason = await reasonOf(promise, what);
  rig.expect(HoneError.is(reason), `${what}: refused with a HoneError`).toBe(true);
  const message = reason instanceof Error ? reason.message : "";
  rig.expect(message.includes(mentions), `${what}: "${message}" mentions "${mentions}"`).toBe(true);
}
