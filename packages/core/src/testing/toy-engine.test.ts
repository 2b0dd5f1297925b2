import { describe, expect, test } from "vitest";
import type { RolloutId, SampleId } from "../data.ts";
import type { OptimizerStep, Trainer } from "../engine.ts";
import { runsOf } from "../runs.ts";
import type { Sample } from "../sample.ts";
import { engineConformance } from "./engine-conformance.ts";
import { memoryCheckpoints } from "./toy-checkpoint.ts";
import { createToyEngine } from "./toy-engine.ts";

const vocabularySize = 24;
const shared = {
  create: () => createToyEngine({ vocabularySize }),
  prompt: Int32Array.of(3, 1, 4),
  vocabularySize,
  tolerance: 1e-5,
};
const lora = { rank: 4, alpha: 8, targets: ["all"], seed: 1 };
engineConformance({ ...shared, name: "toy, full", adapter: "full" }, { describe, test, expect });
engineConformance({ ...shared, name: "toy, lora", adapter: lora }, { describe, test, expect });

const { signal } = new AbortController();
const step: OptimizerStep = { learningRate: 0.1, betas: [0.9, 0.99], epsilon: 1e-8, weightDecay: 0, gradientClip: 0 };
const full = { model: "toy", adapter: "full" } as const;

/** `advantage` on every token but the first. */
function sampleOf(tokens: readonly number[], advantage = 1): Sample {
  const column = (value: number): Float32Array => Float32Array.from(tokens, (_, at) => (at === 0 ? 0 : value));
  return {
    id: "s" as SampleId,
    rollout: "r" as RolloutId,
    agent: "agent",
    env: "e",
    branch: 0,
    tokens: Int32Array.from(tokens),
    weight: column(1),
    advantage: column(advantage),
    logprob: column(-1),
    temperature: runsOf(1, tokens.length),
    policyVersion: runsOf(0, tokens.length),
  };
}

async function trainOnce(trainer: Trainer, tokens: readonly number[], change: Partial<OptimizerStep> = {}) {
  const forward = trainer.forwardBackward([sampleOf(tokens)], { type: "cross_entropy" });
  const [, report] = await Promise.all([forward, trainer.update({ ...step, ...change }), trainer.publish()]);
  return report;
}

test("it learns a cycle by heart and then says it", async () => {
  const engine = createToyEngine({ vocabularySize: 5 });
  const trainer = await engine.open(full);
  for (let update = 0; update < 60; update++) await trainOnce(trainer, [0, 2, 4, 1, 3, 0], { learningRate: 0.3 });
  const sampling = { maxTokens: 10, temperature: 1, seed: 9, stopTokens: [] };
  const request = { prompt: Int32Array.of(0), count: 1, sampling };
  const { sequences } = await engine.sampler("latest").generate(request, { signal });
  expect(sequences[0]?.ids).toEqual(Int32Array.of(2, 4, 1, 3, 0, 2, 4, 1, 3, 0));
});

test("samples follow the softmax of the logits divided by the temperature", async () => {
  const engine = createToyEngine({ vocabularySize: 4, seed: 3 });
  for (const temperature of [0.3, 1, 2]) {
    const sampling = { maxTokens: 1, temperature, seed: 5, stopTokens: [] };
    const request = { prompt: Int32Array.of(2), count: 4000, sampling };
    const { sequences } = await engine.sampler("base").generate(request, { signal });
    for (const token of [0, 1, 2, 3]) {
      const share = sequences.filter(({ ids }) => ids[0] === token).length / 4000;
      const [logprobs] = await engine.sampler("base").score([Int32Array.of(2, token)], { temperature, signal });
      expect(Math.abs(share - Math.exp(logprobs?.[1] ?? 0))).toBeLessThan(0.03);
    }
  }
});

test("truncated sampling keeps to the likeliest tokens", async () => {
  const engine = createToyEngine({ vocabularySize: 8 });
  const sampler = engine.sampler("base");
  const request = { prompt: Int32Array.of(2), count: 500 };
  const sampling = { maxTokens: 1, temperature: 1, seed: 5, stopTokens: [] };
  const seen = async (change: object): Promise<number[]> => {
    const { sequences } = await sampler.generate({ ...request, sampling: { ...sampling, ...change } }, { signal });
    return [...new Set(sequences.map(({ ids }) => ids[0] ?? -1))].sort((a, b) => a - b);
  };
  const probabilities = await Promise.all(
    [0, 1, 2, 3, 4, 5, 6, 7].map(async (token) => {
      const [logprobs] = await sampler.score([Int32Array.of(2, token)], { temperature: 1, signal });
      return { token, probability: Math.exp(logprobs?.[1] ?? 0) };
    }),
  );
  probabilities.sort((a, b) => b.probability - a.probability);
  const top = (count: number): number[] =>
    probabilities
      .slice(0, count)
      .map(({ token }) => token)
      .sort((a, b) => a - b);
  const mass = probabilities.slice(0, 3).reduce((sum, { probability }) => sum + probability, 0);
  expect(await seen({})).toEqual(top(8));
  expect(await seen({ topK: 3 })).toEqual(top(3));
  expect(await seen({ topP: mass - 0.001 })).toEqual(top(3));
  const least = (probabilities[3]?.probability ?? 0) / (probabilities[0]?.probability ?? 1);
  expect(await seen({ minP: least - 1e-6 })).toEqual(top(4));
});

test("AdamW: the first step moves each parameter by the learning rate, decay and clipping included", async () => {
  const tokens = Int32Array.of(0, 1);
  const probability = async (change: Partial<OptimizerStep>): Promise<number> => {
    const engine = createToyEngine({ vocabularySize: 2 });
    const trainer = await engine.open(full);
    await trainOnce(trainer, [...tokens], change);
    return (await engine.sampler("latest").score([tokens], { temperature: 1, signal }))[0]?.[1] ?? 0;
  };
  const engine = createToyEngine({ vocabularySize: 2 });
  const before = (await engine.sampler("base").score([tokens], { temperature: 1, signal }))[0]?.[1] ?? 0;
  const gap = -Math.log(Math.exp(-before) - 1);
  const logprob = (gap: number): number => -Math.log(1 + Math.exp(-gap));
  expect(await probability({})).toBeCloseTo(logprob(gap + 0.2), 5);
  expect(await probability({ weightDecay: 0.5 })).toBeCloseTo(logprob(gap * (1 - 0.05) + 0.2), 5);
  const large = { epsilon: 1, gradientClip: 0.1 };
  const clipped = 0.1 / Math.SQRT2;
  expect(await probability(large)).toBeCloseTo(logprob(gap + (2 * 0.1 * clipped) / (clipped + 1)), 5);
});

test('"latest" takes up a new policy in the middle of a sequence', async () => {
  const engine = createToyEngine({ vocabularySize });
  const trainer = await engine.open(full);
  const sampling = { maxTokens: 200, temperature: 1, seed: 1, stopTokens: [] };
  const running = engine.sampler("latest").generate({ prompt: shared.prompt, count: 1, sampling }, { signal });
  expect(engine.pressure()).toMatchObject({ running: 1, queued: 0 });
  await Promise.all([trainOnce(trainer, [1, 2, 3]), trainOnce(trainer, [3, 2, 1])]);
  const [sequence] = (await running).sequences;
  expect(sequence?.policyVersion.values).toEqual([0, 1, 2]);
});

test("engines that share a store open each other's checkpoints and end with the same weights", async () => {
  for (const adapter of ["full", lora] as const) {
    const checkpoints = memoryCheckpoints();
    const spec = { model: "toy", adapter };
    const score = async (engine: ReturnType<typeof createToyEngine>) =>
      engine.sampler("latest").score([Int32Array.of(1, 2, 3, 1)], { temperature: 0.7, signal });
    const one = createToyEngine({ vocabularySize, checkpoints });
    const trainer = await one.open(spec);
    await trainOnce(trainer, [1, 2, 3]);
    const saved = await trainer.save("step-1");
    await trainOnce(trainer, [2, 3, 1], { weightDecay: 0.1 });

    const two = createToyEngine({ vocabularySize, checkpoints });
    const resumed = await two.open({ ...spec, from: saved });
    expect(await resumed.publish()).toEqual({ version: 1 });
    await trainOnce(resumed, [2, 3, 1], { weightDecay: 0.1 });
    expect(await score(two)).toEqual(await score(one));
    const bytes = await Promise.all(
      [trainer, resumed].map(async (own, index) => {
        await own.save(`end-${index}`);
        return checkpoints.read(`end-${index}`);
      }),
    );
    expect(bytes[1]).toEqual(bytes[0]);
  }
});

test("a checkpoint that is cut off, or of another model or adapter, is refused", async () => {
  const checkpoints = memoryCheckpoints();
  const engine = createToyEngine({ vocabularySize, checkpoints });
  const from = await (await engine.open(full)).save("whole");
  await checkpoints.write("cut", ((await checkpoints.read("whole")) ?? new Uint8Array()).slice(0, -1));
  await checkpoints.write("garbage", Uint8Array.of(1, 2, 3));
  for (const checkpoint of ["cut", "garbage"]) {
    await expect(engine.open({ ...full, from: { checkpoint } })).rejects.toThrow(
      "is not one of the toy engine's, or is cut off",
    );
  }
  await expect(engine.open({ ...full, adapter: lora, from })).rejects.toThrow("has another adapter");
  const other = createToyEngine({ vocabularySize, checkpoints, seed: 1 });
  await expect(other.open({ ...full, from })).rejects.toThrow("belongs to another base model");
});

test("an export is what a checkpoint is, written by the function it was given", async () => {
  const checkpoints = memoryCheckpoints();
  const files = new Map<string, Uint8Array>();
  const writeFile = async (path: string, bytes: Uint8Array): Promise<void> => void files.set(path, bytes);
  const trainer = await createToyEngine({ vocabularySize: 4, checkpoints, writeFile }).open(full);
  await trainer.save("end");
  await trainer.export("runs/a/adapter");
  expect(files).toEqual(new Map([["runs/a/adapter/policy.toy", await checkpoints.read("end")]]));
  const without = await createToyEngine().open(full);
  await expect(without.export("x")).rejects.toThrow("was given no writeFile");
});

test("prompts and requests that make no sense are refused", async () => {
  const engine = createToyEngine({ vocabularySize, contextTokens: 8 });
  const sampling = { maxTokens: 100, temperature: 1, seed: 1, stopTokens: [] };
  const request = { prompt: shared.prompt, count: 1, sampling };
  const ask = (change: object) => engine.sampler("base").generate({ ...request, ...change }, { signal });
  const [sequence] = (await ask({})).sequences;
  expect([sequence?.ids.length, sequence?.finish]).toEqual([5, "length"]);
  await expect(ask({ prompt: new Int32Array() })).rejects.toThrow("at least one token");
  await expect(ask({ prompt: new Int32Array(8) })).rejects.toMatchObject({ code: "context-length" });
  await expect(ask({ count: 0 })).rejects.toThrow("count is 0");
  await expect(ask({ sampling: { ...sampling, maxTokens: 0 } })).rejects.toThrow("maxTokens is 0");
  await expect(ask({ sampling: { ...sampling, temperature: -1 } })).rejects.toThrow("temperature is -1");
  await expect(ask({ sampling: { ...sampling, stopStrings: ["."] } })).rejects.toMatchObject({ code: "unsupported" });
  const trainer = await engine.open(full);
  await expect(trainer.forwardBackward([sampleOf(Array(9).fill(1))], { type: "none" })).rejects.toThrow(
    "9 tokens, of 8",
  );
  await expect(engine.open({ ...full, adapter: { ...lora, rank: 0 } })).rejects.toThrow("rank of at least 1");
});

test("old policies are let go; a sampler that holds one keeps it", async () => {
  const engine = createToyEngine({ vocabularySize: 2 });
  const trainer = await engine.open(full);
  const held = engine.sampler({ version: 0 });
  for (let update = 0; update < 64; update++) await trainOnce(trainer, [0, 1]);
  const tokens = [Int32Array.of(0, 1)];
  const base = await engine.sampler("base").score(tokens, { temperature: 1, signal });
  expect(await held.score(tokens, { temperature: 1, signal })).toEqual(base);
  await expect(engine.sampler({ version: 0 }).score(tokens, { temperature: 1, signal })).rejects.toThrow(
    "no longer kept",
  );
  await engine.sampler({ version: 1 }).score(tokens, { temperature: 1, signal });
});
