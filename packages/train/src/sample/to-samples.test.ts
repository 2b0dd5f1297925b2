import { expandRuns, type MessageNode, Sample } from "@hone/core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { rolloutOf } from "./testing/rollouts.ts";
import { toSamples } from "./to-samples.ts";

const keep = { truncated: "keep", seqLen: 1000 } as const;

describe("a rollout as samples", () => {
  test("what people and tools said is context; what was sampled is trained", () => {
    const { samples } = toSamples(rolloutOf([{ before: 2 }, { before: 4, sampled: 1, after: 1 }]), keep);
    expect(samples.map(({ weight }) => [...weight])).toEqual([[0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0]]);
  });

  test("a prefix that branches share is trained once", () => {
    const { samples } = toSamples(rolloutOf([{}, { parent: 0, sampled: 1 }, { parent: 0, sampled: 2 }]), keep);
    expect(samples.map(({ weight }) => [...weight])).toEqual([
      [0, 0, 1, 1, 1, 0, 0, 1],
      [0, 0, 0, 0, 0, 0, 0, 1, 1],
    ]);
  });

  test("a truncated rollout is masked or kept, as the run says", () => {
    const rollout = rolloutOf([{}], { truncated: true });
    expect(toSamples(rollout, { ...keep, truncated: "mask" }).samples).toEqual([]);
    expect(toSamples(rollout, keep).samples).toHaveLength(1);
    expect(toSamples(rolloutOf([{}]), { ...keep, truncated: "mask" }).samples).toHaveLength(1);
  });

  test("temperature and policy version stay runs, as each call had them", () => {
    const version = { values: [3, 4], lengths: [1, 2] };
    const { samples } = toSamples(
      rolloutOf([
        { temperature: 0.7, version },
        { temperature: 1, version: 4 },
      ]),
      keep,
    );
    expect(samples[0]?.temperature).toEqual({ values: [0.7, 1], lengths: [5, 5] });
    expect(samples[0]?.policyVersion).toEqual({ values: [3, 4], lengths: [3, 7] });
  });

  test("a sampled first token follows nothing and is not trained", () => {
    const { samples } = toSamples(rolloutOf([{ before: 0, sampled: 2 }]), keep);
    expect(samples.map(({ weight }) => [...weight])).toEqual([[0, 1]]);
    expect(toSamples(rolloutOf([{ before: 0, sampled: 1 }]), keep).samples).toEqual([]);
  });

  test("a branch without anything sampled gives no sample", () => {
    const rollout = rolloutOf([{}]);
    const nodes = rollout.nodes.map((node): MessageNode => ({ ...node, sampled: false }));
    expect(toSamples({ ...rollout, nodes }, keep).samples).toEqual([]);
  });
});

describe("a sequence longer than the longest", () => {
  test("loses its end, and the loss is counted", () => {
    const rollout = rolloutOf([{ sampled: 4, temperature: 0.7, version: 1 }, { version: 2 }]);
    const { samples, cutTokens } = toSamples(rollout, { ...keep, seqLen: 9 });
    expect(cutTokens).toBe(2);
    expect(samples[0]).toMatchObject({
      weight: Float32Array.of(0, 0, 1, 1, 1, 1, 0, 0, 1),
      temperature: { values: [0.7, 1], lengths: [6, 3] },
      policyVersion: { values: [1, 2], lengths: [6, 3] },
    });
  });

  test("vanishes when nothing trained is left of it", () => {
    const { samples, cutTokens } = toSamples(rolloutOf([{ before: 5, sampled: 5 }]), { ...keep, seqLen: 5 });
    expect([samples.length, cutTokens]).toEqual([0, 5]);
  });

  test("is the beginning of the whole one, column by column, and a valid sample", () => {
    const reply = fc.record({
      before: fc.integer({ min: 1, max: 4 }),
      sampled: fc.integer({ min: 1, max: 4 }),
      temperature: fc.constantFrom(0.5, 1),
      version: fc.nat(3),
    });
    fc.assert(
      fc.property(
        fc.array(reply, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 2, max: 30 }),
        (replies, seqLen) => {
          const [whole] = toSamples(rolloutOf(replies), keep).samples;
          const { samples, cutTokens } = toSamples(rolloutOf(replies), { ...keep, seqLen });
          if (whole === undefined) throw new Error("every rollout here has a sample");
          expect(cutTokens).toBe(Math.max(0, whole.tokens.length - seqLen));
          for (const sample of samples) {
            expect(z.safeEncode(Sample, sample).success).toBe(true);
            for (const name of ["tokens", "weight", "advantage", "logprob"] as const) {
              expect(sample[name]).toEqual(whole[name].slice(0, seqLen));
            }
            for (const name of ["temperature", "policyVersion"] as const) {
              expect([...expandRuns(sample[name])]).toEqual([...expandRuns(whole[name])].slice(0, seqLen));
            }
          }
        },
      ),
    );
  });
});
