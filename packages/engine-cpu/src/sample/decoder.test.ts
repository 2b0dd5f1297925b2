// The sampler on a real decoder: what it reports is, bit for bit, what training computes for the same tokens, whatever the schedule.
import type { TokenSampling } from "@hone/core";
import { afterAll, describe, expect, test } from "vitest";
import { kernelsOf } from "../kernel/kernels.ts";
import { buildsHere } from "../kernel/testing/builds.ts";
import { scoreSequences } from "../model/score.ts";
import { createStepModel } from "../model/step-model.ts";
import { smallConfig, smallDecoder, smallLora } from "../model/testing/small-decoders.ts";
import type { PolicyWeights } from "../model/weights.ts";
import { BatchSampler, type SampledSequence } from "./sampler.ts";
import { versionsOf } from "./testing/plain-loop.ts";

const usual: TokenSampling = { maxTokens: 20, temperature: 0.7, seed: 3, stopTokens: [] };
const promptOf = (length: number): Int32Array => Int32Array.from({ length }, (_, index) => (index * 11 + length) % 40);

describe.each(buildsHere())("on $name", ({ open }) => {
  const kernels = kernelsOf(open(2));
  afterAll(() => kernels.close());
  const config = smallConfig("qwen3");
  const policies = [1, 2].map((seed, version): PolicyWeights => {
    const decoder = smallDecoder(kernels, config, seed);
    return { version, decoder, adapter: smallLora(kernels, decoder) };
  });
  const [first, second] = policies as [PolicyWeights, PolicyWeights];

  interface Setting {
    readonly pages: number;
    readonly capacity: number;
    readonly stepTokens: number;
    /** After so many steps "latest" is the second policy. */
    readonly swapAfter: number;
  }
  function sample(setting: Setting, asked: readonly { readonly length: number; readonly count: number }[]) {
    const model = createStepModel(kernels, config, { pages: setting.pages, pageTokens: 16 });
    let steps = 0;
    const sampler = new BatchSampler({
      ...setting,
      model,
      kernels,
      policyOf: () => (steps < setting.swapAfter ? first : second),
      textOf: (ids) => ids.join(),
    });
    const results: (readonly SampledSequence[])[] = asked.map(() => []);
    for (const [index, { length, count }] of asked.entries()) {
      sampler.add({
        prompt: promptOf(length),
        count,
        sampling: usual,
        policy: "latest",
        onDone: (outcome) => {
          if ("error" in outcome) throw outcome.error;
          results[index] = outcome.generation.sequences as readonly SampledSequence[];
        },
      });
    }
    while (sampler.step()) steps++;
    return results;
  }

  function scored(policy: PolicyWeights, ids: Int32Array, temperature: number): Float32Array {
    const work = scoreSequences(kernels, policy, [ids], temperature);
    for (;;) {
      const step = work.next();
      if (step.done === true) return step.value[0] ?? new Float32Array();
    }
  }

  const asked = [
    { length: 40, count: 3 },
    { length: 5, count: 2 },
    { length: 33, count: 1 },
  ];

  test("sampled at 0.7, a token has the logprob of scoring at 0.7, and untempered that of scoring at 1", () => {
    const results = sample({ pages: 40, capacity: 6, stepTokens: 64, swapAfter: 9 }, asked);
    for (const [index, sequences] of results.entries())
      for (const sequence of sequences) {
        const prompt = promptOf(asked[index]?.length ?? 0);
        const ids = Int32Array.of(...prompt, ...sequence.ids);
        const versions = versionsOf(sequence);
        const expected = (temperature: number): Float32Array => {
          const byVersion = policies.map((policy) => scored(policy, ids, temperature).slice(prompt.length));
          return sequence.logprobs.map((_, at) => byVersion[versions[at] ?? 0]?.[at] ?? NaN);
        };
        expect(new Set(versions)).toEqual(new Set([0, 1]));
        expect(sequence.logprobs).toEqual(expected(0.7));
        expect(sequence.untempered).toEqual(expected(1));
        expect(sequence.logprobs).not.toEqual(sequence.untempered);
      }
  });

  test("alone, in pieces, with a prefix from the cache and after preemption: the same bits", () => {
    const roomy = sample({ pages: 60, capacity: 8, stepTokens: 256, swapAfter: Infinity }, asked);
    expect(roomy.map((sequences) => sequences.length)).toEqual([3, 2, 1]);
    for (const setting of [
      { pages: 60, capacity: 1, stepTokens: 1 },
      { pages: 60, capacity: 6, stepTokens: 7 },
      { pages: 5, capacity: 6, stepTokens: 50 },
    ])
      expect(sample({ ...setting, swapAfter: Infinity }, asked)).toEqual(roomy);
    const alone = asked.map((one) => sample({ pages: 10, capacity: 2, stepTokens: 9, swapAfter: Infinity }, [one])[0]);
    expect(alone).toEqual(roomy);
  });
});
