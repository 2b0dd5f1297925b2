import { afterAll, describe, expect, test } from "vitest";
import { kernelsOf } from "../kernel/kernels.ts";
import { buildsHere } from "../kernel/testing/builds.ts";
import { scoreSequences } from "./score.ts";
import { createStepModel } from "./step-model.ts";
import { sequences } from "./testing/packed-loss.ts";
import { smallConfig, smallDecoder, smallFamilies, smallLora } from "./testing/small-decoders.ts";
import type { PolicyWeights } from "./weights.ts";

const pageTokens = 16;

describe.each(buildsHere())("$name", ({ open }) => {
  const kernels = kernelsOf(open(2));
  afterAll(() => kernels.close());
  const policyOf = (family: (typeof smallFamilies)[number]): PolicyWeights => {
    const decoder = smallDecoder(kernels, smallConfig(family));
    return { version: 0, decoder, adapter: smallLora(kernels, decoder) };
  };
  const score = (policy: PolicyWeights, ids: readonly Int32Array[], temperature: number): readonly Float32Array[] => {
    const work = scoreSequences(kernels, policy, ids, temperature);
    for (;;) {
      const step = work.next();
      if (step.done === true) return step.value;
    }
  };

  test.each(smallFamilies)("%s: a sequence has the same logprobs alone and among others", (family) => {
    const policy = policyOf(family);
    const among = score(policy, [...sequences, ...sequences], 0.8);
    for (const [index, ids] of sequences.entries()) {
      expect(score(policy, [ids], 0.8)[0]).toEqual(among[index]);
      expect(among[index + sequences.length]).toEqual(among[index]);
    }
  });

  test.each(smallFamilies)("%s: decoding token by token gives the bits of scoring at once", (family) => {
    const policy = policyOf(family);
    const { vocabulary } = policy.decoder.config;
    const model = createStepModel(kernels, policy.decoder.config, { pages: 4, pageTokens });
    const ids = sequences[0]!;
    const expected = score(policy, [ids], 0.8)[0]!;
    const targets = kernels.memory.ints(1);
    const [temperature, logprob] = [kernels.memory.floats(1), kernels.memory.floats(1)];
    temperature[0] = 0.8;
    // The first three tokens at once, the others one at a time, on the third page; another sequence takes part.
    for (let from = 0, to = 3; to < ids.length; from = to, to++) {
      const [mine, other] = [ids.slice(from, to), sequences[1]!.slice(0, 1)];
      const logits = model.logits(policy, {
        tokens: Int32Array.from([...other, ...mine]),
        positions: Int32Array.from([0, ...mine.keys()].map((at, row) => (row === 0 ? 0 : from + at))),
        slots: Int32Array.from(
          [0, ...mine.keys()].map((at, row) => (row === 0 ? pageTokens : 2 * pageTokens + from + at)),
        ),
        starts: Int32Array.of(0, 1, 1 + mine.length),
        lengths: Int32Array.of(1, to),
        table: Int32Array.of(1, 2),
        tableWidth: 1,
        logitRows: Int32Array.of(mine.length),
      });
      targets[0] = ids[to]!;
      kernels.loss.logitsLogprob({ rows: 1, vocabulary, logits, targets, temperature, logprob });
      expect(logprob[0]).toBe(expected[to]);
    }
  });
});
