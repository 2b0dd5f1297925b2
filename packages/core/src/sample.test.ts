import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { RolloutId, SampleId } from "./data.ts";
import { concatRuns, runsOf } from "./runs.ts";
import { type LossComponent, Sample } from "./sample.ts";

const sample: fc.Arbitrary<Sample> = fc.nat({ max: 12 }).chain((length) => {
  const column = fc.float32Array({ minLength: length, maxLength: length });
  const runs = <Value>(value: fc.Arbitrary<Value>) =>
    fc
      .array(value, { minLength: length, maxLength: length })
      .map((values) => concatRuns(values.map((value) => runsOf(value, 1))));
  return fc.record(
    {
      id: fc.string({ minLength: 1 }).map((id) => id as SampleId),
      rollout: fc.string({ minLength: 1 }).map((id) => id as RolloutId),
      agent: fc.string(),
      env: fc.string(),
      branch: fc.nat(),
      tokens: fc.int32Array({ minLength: length, maxLength: length }),
      weight: column,
      advantage: column,
      logprob: column,
      reference: column,
      temperature: runs(fc.constantFrom(0, 0.7, 1)),
      policyVersion: runs(fc.nat({ max: 3 })),
      component: runs(fc.constantFrom<LossComponent>("rl", "ce", "kl")),
      extras: fc.dictionary(fc.string({ maxLength: 8 }), fc.string(), { noNullPrototype: true }),
    },
    {
      requiredKeys: [
        ...(["id", "rollout", "agent", "env", "branch", "tokens", "weight", "advantage", "logprob"] as const),
        ...(["temperature", "policyVersion"] as const),
      ],
    },
  );
});

const whole: Sample = {
  id: "r/0" as SampleId,
  rollout: "r" as RolloutId,
  agent: "agent",
  env: "env",
  branch: 0,
  tokens: Int32Array.of(1, 2),
  weight: Float32Array.of(0, 1),
  advantage: Float32Array.of(0, 0.5),
  logprob: Float32Array.of(0, -0.25),
  temperature: runsOf(1, 2),
  policyVersion: runsOf(3, 2),
};

describe("Sample", () => {
  test("what is written as JSON is read back bit for bit", () => {
    fc.assert(
      fc.property(sample, (sample) => {
        const line = JSON.stringify(z.encode(Sample, sample));
        expect(z.decode(Sample, JSON.parse(line))).toEqual(sample);
      }),
    );
  });

  test("a column of another length is refused by name, when read and when written", () => {
    const short = Float32Array.of(1);
    const changes: [string, Partial<Sample>][] = [
      ["weight", { weight: short }],
      ["advantage", { advantage: short }],
      ["logprob", { logprob: short }],
      ["reference", { reference: short }],
      ["temperature", { temperature: runsOf(1, 3) }],
      ["policyVersion", { policyVersion: runsOf(1, 1) }],
      ["component", { component: runsOf("rl", 1) }],
    ];
    for (const [name, change] of changes) {
      const written = z.safeEncode(Sample, { ...whole, ...change });
      expect(written.error?.issues.map((issue) => issue.path)).toEqual([[name]]);
    }
    const json = { ...(z.encode(Sample, whole) as object), weight: "AACAPw==" };
    const issue = { path: ["weight"], message: "as long as tokens: 2, not 1" };
    expect(z.safeDecode(Sample, json).error?.issues).toMatchObject([issue]);
  });

  test("what is no sample is refused at its field", () => {
    const json = z.encode(Sample, whole) as object;
    const changes = { id: "", branch: -1, tokens: [1, 2], temperature: runsOf(-1, 2), component: runsOf("sft", 2) };
    for (const [field, value] of Object.entries(changes)) {
      const result = z.safeDecode(Sample, { ...json, [field]: value });
      expect(result.error?.issues[0]?.path[0]).toBe(field);
    }
    expect(z.safeDecode(Sample, { ...json, credit: 1 }).success).toBe(false);
  });
});
