import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RolloutId, SampleId } from "./data.ts";
import { forwardBackwardCustom, type LossSpec, lossTerm } from "./loss.ts";
import { runsOf } from "./runs.ts";
import type { Sample } from "./sample.ts";
import { createToyEngine } from "./testing/toy-engine.ts";

const losses: readonly LossSpec[] = [
  { type: "none" },
  { type: "cross_entropy" },
  { type: "importance_sampling" },
  { type: "ppo", clipLow: 0.8, clipHigh: 1.2 },
  { type: "cispo", clipLow: 0.8, clipHigh: 1.2 },
  { type: "dro", beta: 0.5 },
  { type: "dppo", maskLow: 0.2, maskHigh: 0.2, klWeight: 0.1 },
];
const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });

describe("lossTerm", () => {
  for (const loss of losses) {
    test(`${loss.type}: the slope is the derivative of the term by the current logprob`, () => {
      fc.assert(
        fc.property(number(-4, -0.01), number(-4, -0.01), number(-2, 2), (p, q, advantage) => {
          const { term, slope } = lossTerm(loss, p, q, advantage);
          const small = 1e-6;
          // Where a clip or a mask sets in, a term has no derivative.
          const [left, right] = [lossTerm(loss, p - small, q, advantage), lossTerm(loss, p + small, q, advantage)];
          fc.pre(Math.abs(left.slope - slope) < 1e-4 && Math.abs(right.slope - slope) < 1e-4);
          // cispo holds its clipped ratio fixed; its term is linear in p.
          const numeric = loss.type === "cispo" ? term / p : (right.term - left.term) / (2 * small);
          expect(Math.abs(numeric - slope)).toBeLessThan(1e-3 * (1 + Math.abs(slope)));
        }),
      );
    });
  }

  test("values computed by hand", () => {
    const p = Math.log(0.6);
    const q = Math.log(0.4);
    const value = (loss: LossSpec, advantage: number): number[] => {
      const { term, slope } = lossTerm(loss, p, q, advantage);
      return [term, slope].map((number) => Math.round(number * 1e4) / 1e4 + 0);
    };
    const clip = { clipLow: 0.8, clipHigh: 1.2 };
    expect(value({ type: "none" }, 2)).toEqual([0, 0]);
    expect(value({ type: "cross_entropy" }, 2)).toEqual([0.5108, -1]);
    expect(value({ type: "importance_sampling" }, 2)).toEqual([-3, -3]);
    // The ratio 1.5 is above the clip: it counts as 1.2 where that is worse, and no longer pulls.
    expect(value({ type: "ppo", ...clip }, 2)).toEqual([-2.4, 0]);
    expect(value({ type: "ppo", ...clip }, -2)).toEqual([3, 3]);
    // 1.2 x ln 0.6 x 2, and it goes on pulling with 1.2.
    expect(value({ type: "cispo", ...clip }, 2)).toEqual([1.226, -2.4]);
    // -(2 ln 0.6 - 0.25 (ln 1.5)^2) and -(2 - 0.5 ln 1.5).
    expect(value({ type: "dro", beta: 0.5 }, 2)).toEqual([1.0628, -1.7973]);
    // It moved by 0.6 - 0.4; for a negative advantage that is the wrong way round to be masked.
    const dppo = { type: "dppo", maskLow: 0.15, maskHigh: 0.25, klWeight: 0.1 } as const;
    expect(value(dppo, 2)).toEqual([-2.9836, -2.9189]);
    expect(value({ ...dppo, maskHigh: 0.15 }, 2)).toEqual([0.0164, 0.0811]);
    expect(value(dppo, -2)).toEqual([3.0164, 3.0811]);
    const fallen = lossTerm({ type: "dppo", maskLow: 0.15, maskHigh: 1, klWeight: 0 }, q, p, -2);
    expect([fallen.term + 0, fallen.slope + 0]).toEqual([0, 0]);
  });

  test("where nothing has moved, every policy loss pulls as far as the advantage says", () => {
    fc.assert(
      fc.property(number(-4, -0.01), number(-2, 2), (p, advantage) => {
        for (const loss of losses.filter(({ type }) => type !== "none" && type !== "cross_entropy")) {
          expect(lossTerm(loss, p, p, advantage).slope).toBeCloseTo(-advantage, 10);
        }
      }),
    );
  });
});

describe("forwardBackwardCustom", () => {
  const tokens = Int32Array.of(1, 3, 0, 2, 5);
  const sample: Sample = {
    id: "s" as SampleId,
    rollout: "r" as RolloutId,
    agent: "agent",
    env: "e",
    branch: 0,
    tokens,
    weight: Float32Array.of(0, 0, 1, 0.5, 2),
    advantage: Float32Array.of(0, 0, 1, -1, 0.5),
    logprob: Float32Array.of(0, 0, -1.5, -2.5, -2),
    temperature: runsOf(0.7, 5),
    policyVersion: runsOf(0, 5),
  };
  const step = { learningRate: 0.1, betas: [0.9, 0.99], epsilon: 1e-3, weightDecay: 0, gradientClip: 0 } as const;

  for (const loss of losses) {
    test(`${loss.type}, written as a loss of one's own, makes the same policy`, async () => {
      const { signal } = new AbortController();
      const engine = createToyEngine({ vocabularySize: 6 });
      const policyAfter = async (own: boolean): Promise<[number, number, readonly Float32Array[]]> => {
        const trainer = await engine.open({ model: "toy", adapter: "full" });
        const value = own
          ? await forwardBackwardCustom(trainer, [sample], (logprobs) => {
              const parts = Array.from(tokens, (_, at) =>
                lossTerm(loss, logprobs[at] ?? 0, sample.logprob[at] ?? 0, sample.advantage[at] ?? 0),
              );
              const weight = (at: number): number => sample.weight[at] ?? 0;
              return {
                value: parts.reduce((sum, { term }, at) => sum + weight(at) * term, 0),
                gradient: Float32Array.from(parts, ({ slope }, at) => weight(at) * slope),
              };
            })
          : (await trainer.forwardBackward([sample], loss)).loss;
        const { gradientNorm } = await trainer.update(step);
        await trainer.publish();
        return [value, gradientNorm, await engine.sampler("latest").score([tokens], { temperature: 1, signal })];
      };
      const [[value, norm, scores], [ownValue, ownNorm, ownScores]] = [
        await policyAfter(false),
        await policyAfter(true),
      ];
      expect(ownValue).toBeCloseTo(value, 5);
      expect(ownNorm).toBeCloseTo(norm, 5);
      for (const [at, score] of (scores[0] ?? []).entries()) expect(ownScores[0]?.[at]).toBeCloseTo(score, 5);
    });
  }
});
