import { forwardBackwardCustom, type Sample } from "@hone/core";
import { createToyEngine } from "@hone/core/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sampleOf } from "../sample/testing/rollouts.ts";
import { sequenceLoss } from "./gspo.ts";

const clip = { clipLow: 0.8, clipHigh: 1.2 };

function sequence(advantage: readonly number[], weight: readonly number[], logprob: readonly number[]): Sample {
  return sampleOf(advantage, { weight: Float32Array.of(0, ...weight), logprob: Float32Array.of(0, ...logprob) });
}

test("by hand: the ratio is the geometric mean over the sequence, and so is its clip", () => {
  // Two tokens with weight 0.25 each (two sequences of two tokens). Log-ratios ln 1.5 and ln 0.96: mean = ln sqrt(1.44) = ln 1.2.
  const sample = sequence([2, 2], [0.25, 0.25], [Math.log(0.4), Math.log(0.5)]);
  const inside = Float32Array.of(0, Math.log(0.6), Math.log(0.48));
  const { value, gradient } = sequenceLoss({ clipLow: 0.8, clipHigh: 1.3 })(inside, sample);
  // W = 0.5, s = 1.2, A = 2: value -0.5 x 2.4 = -1.2; gradient -0.25 x 1.2 x 2 = -0.6 on each.
  expect(value).toBeCloseTo(-1.2, 6);
  expect([...gradient].map((slope) => Math.round(slope * 1e5) / 1e5)).toEqual([0, -0.6, -0.6]);
  // With a clip at 1.1 the whole sequence stops pulling, the token below its old probability included: -0.5 x 1.1 x 2 = -1.1.
  const clipped = sequenceLoss({ clipLow: 0.8, clipHigh: 1.1 })(inside, sample);
  expect(clipped.value).toBeCloseTo(-1.1, 6);
  expect(clipped.gradient.every((slope) => slope === 0)).toBe(true);
});

test("the gradient is that of finite differences", () => {
  const logprob = fc.double({ min: -3, max: -0.1, noNaN: true });
  const token = fc.record({
    p: logprob,
    q: logprob,
    advantage: fc.double({ min: -2, max: 2, noNaN: true }),
    weight: fc.constantFrom(0, 0.25, 1),
  });
  fc.assert(
    fc.property(fc.array(token, { minLength: 1, maxLength: 6 }), (tokens) => {
      const sample = sequence(
        tokens.map(({ advantage }) => advantage),
        tokens.map(({ weight }) => weight),
        tokens.map(({ q }) => q),
      );
      const loss = sequenceLoss(clip);
      // The step is exact in single precision; the clip has no derivative where it sets in.
      const step = 2 ** -8;
      const current = Float32Array.from([0, ...tokens.map(({ p }) => p)]);
      const { gradient } = loss(current, sample);
      for (let at = 0; at < current.length; at++) {
        const nudged = (by: number) =>
          loss(
            current.map((p, index) => (index === at ? p + by : p)),
            sample,
          );
        const [left, right] = [nudged(-step), nudged(step)];
        if (left.gradient[at] === 0 || right.gradient[at] === 0) continue;
        const numeric = (right.value - left.value) / (2 * step);
        expect(Math.abs(numeric - (gradient[at] ?? 0))).toBeLessThan(2e-3 * (1 + Math.abs(numeric)));
      }
    }),
  );
});

test("tokens that are not trained have no gradient and no say", () => {
  const sample = sequence([1, 1, 1], [1, 0, 1], [-1, -1, -1]);
  const base = sequenceLoss(clip)(Float32Array.of(0, -1, -1, -1), sample);
  const moved = sequenceLoss(clip)(Float32Array.of(0, -1, -9, -1), sample);
  expect(moved).toEqual(base);
  expect([...base.gradient]).toEqual([0, -1, 0, -1]);
  const nothing = sequence([1], [0], [-1]);
  expect(sequenceLoss(clip)(Float32Array.of(0, -1), nothing)).toEqual({ value: 0, gradient: new Float32Array(2) });
});

test("on an engine, a sequence with positive credit becomes likelier", async () => {
  const engine = createToyEngine({ vocabularySize: 8 });
  const { signal } = new AbortController();
  const trainer = await engine.open({ model: "toy", adapter: "full" });
  const tokens = Int32Array.of(1, 2, 3, 4);
  const score = async (): Promise<number> => {
    const [logprobs] = await engine.sampler("latest").score([tokens], { temperature: 1, signal });
    return [...(logprobs ?? [])].reduce((sum, logprob) => sum + logprob, 0);
  };
  const [logprob] = await engine.sampler("latest").score([tokens], { temperature: 1, signal });
  const before = await score();
  const sample = { ...sampleOf([1, 1, 1], { tokens }), logprob: logprob ?? new Float32Array(4) };
  await forwardBackwardCustom(trainer, [sample], sequenceLoss(clip));
  await trainer.update({ learningRate: 0.1, betas: [0.9, 0.99], epsilon: 1e-8, weightDecay: 0, gradientClip: 0 });
  await trainer.publish();
  expect(await score()).toBeGreaterThan(before);
});
