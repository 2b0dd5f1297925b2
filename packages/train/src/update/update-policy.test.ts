import { HoneError, type Sample } from "@hone/core";
import { createToyEngine } from "@hone/core/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sampleOf } from "../sample/testing/rollouts.ts";
import { microBatches, updatePolicy } from "./update-policy.ts";

const optimizer = { learningRate: 0.1, betas: [0.9, 0.95], epsilon: 1e-8, weightDecay: 0, gradientClip: 0 } as const;
const loss = { type: "importance_sampling" } as const;

function someSamples(): Sample[] {
  return [3, 5, 2, 8].map((length, index) => {
    const advantage = Array.from({ length }, (_, at) => (at + index) / 10 - 0.3);
    const tokens = Int32Array.from({ length: length + 1 }, (_, at) => (7 * at + index) % 16);
    return sampleOf(advantage, { tokens, logprob: new Float32Array(length + 1).fill(-2.5) });
  });
}

async function policyAfter(microBatchTokens?: number) {
  const engine = createToyEngine({ vocabularySize: 16 });
  const trainer = await engine.open({ model: "toy", adapter: "full" });
  let calls = 0;
  const counting = {
    ...trainer,
    forwardBackward: (...part: Parameters<typeof trainer.forwardBackward>) => (
      calls++,
      trainer.forwardBackward(...part)
    ),
  };
  const result = await updatePolicy(counting, [{ loss, samples: someSamples() }], {
    optimizer,
    ...(microBatchTokens === undefined ? {} : { microBatchTokens }),
  });
  const [logprobs] = await engine
    .sampler("latest")
    .score([Int32Array.from({ length: 16 }, (_, at) => at)], { temperature: 1, signal: new AbortController().signal });
  return { calls, result, logprobs: [...(logprobs ?? [])] };
}

test("a batch in parts gives the gradient, the loss and the policy of the whole", async () => {
  const [whole, parts] = [await policyAfter(), await policyAfter(9)];
  expect([whole.calls, parts.calls]).toEqual([1, 3]);
  for (const [at, logprob] of parts.logprobs.entries()) expect(logprob).toBeCloseTo(whole.logprobs[at] ?? 0, 6);
  for (const name of ["update/loss", "update/gradient_norm", "update/sampler_kl"]) {
    expect(parts.result.metrics[name]).toBeCloseTo(whole.result.metrics[name] ?? 0, 6);
  }
});

test("an update tells how far the policy is from the one that sampled, also under a loss of one's own", async () => {
  const own = (logprobs: Float32Array) => ({ value: 0, gradient: new Float32Array(logprobs.length) });
  const samples = someSamples();
  for (const chosen of [loss, own]) {
    const engine = createToyEngine({ vocabularySize: 16 });
    const trainer = await engine.open({ model: "toy", adapter: "full" });
    const { signal } = new AbortController();
    const sequences = samples.map(({ tokens }) => tokens);
    const scored = await engine.sampler("base").score(sequences, { temperature: 1, signal });
    const now = scored.flatMap((logprobs, index) => [...logprobs].filter((_, at) => samples[index]?.weight[at] !== 0));
    const mean = (term: (p: number) => number): number => now.reduce((sum, p) => sum + term(p), 0) / now.length;
    const { metrics } = await updatePolicy(trainer, [{ loss: chosen, samples }], { optimizer, microBatchTokens: 9 });
    expect(metrics["update/sampler_kl"]).toBeCloseTo(
      mean((p) => -2.5 - p),
      5,
    );
    expect(metrics["update/ratio"]).toBeCloseTo(
      mean((p) => Math.exp(p + 2.5)),
      5,
    );
    expect(metrics["update/entropy"]).toBeCloseTo(
      mean((p) => -p),
      5,
    );
  }
});

test("parts hold no more than they may, in order, and a sample that is longer has one to itself", () => {
  const length = fc.integer({ min: 1, max: 20 });
  fc.assert(
    fc.property(fc.array(length, { maxLength: 30 }), length, (lengths, most) => {
      const samples = lengths.map((own) => sampleOf(Array.from({ length: own }, () => 1)));
      const batches = microBatches(samples, most);
      expect(batches.flat()).toEqual(samples);
      for (const batch of batches) {
        const tokens = batch.reduce((sum, sample) => sum + sample.tokens.length, 0);
        expect(batch.length === 1 || tokens <= most).toBe(true);
      }
    }),
  );
});

test("a gradient that is not finite leaves the policy as it was, whichever part it is in, and the next update is clean", async () => {
  const engine = createToyEngine({ vocabularySize: 16 });
  const trainer = await engine.open({ model: "toy", adapter: "full" });
  const samples = someSamples().map((sample, index) =>
    index === 2 ? { ...sample, advantage: sample.advantage.fill(Number.NaN) } : sample,
  );
  const broken = updatePolicy(trainer, [{ loss, samples }], { optimizer, microBatchTokens: 9 });
  await expect(broken).rejects.toSatisfy((error) => HoneError.is(error) && error.code === "non-finite");
  expect(await trainer.publish()).toEqual({ version: 0 });
  const clean = await updatePolicy(trainer, [{ loss, samples: someSamples() }], { optimizer });
  expect(clean.version).toBe(1);
  expect(clean.metrics["update/gradient_norm"]).toBeCloseTo(
    (await policyAfter()).result.metrics["update/gradient_norm"] ?? 0,
    9,
  );
});
