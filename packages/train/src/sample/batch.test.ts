import type { Algorithm, RolloutId } from "@hone/core";
import { createToyEngine } from "@hone/core/testing";
import { describe, expect, test } from "vitest";
import { AlgorithmConfig, type NamedAlgorithmConfig } from "../algorithm/config.ts";
import { createAlgorithm } from "../algorithm/create.ts";
import { byLoss, makeBatch, type Treatment } from "./batch.ts";
import { collectSamples } from "./collect.ts";
import { oldestVersion } from "./report.ts";
import { scoreRequests, withScores } from "./scores.ts";
import { rolloutOf, rolloutsOf } from "./testing/rollouts.ts";

function treatment(config: object): Treatment {
  const algorithm = createAlgorithm(AlgorithmConfig.parse(config) as NamedAlgorithmConfig, { maxTokens: 100 });
  return { algorithm, normaliser: { type: "token" } };
}
const settings = { truncated: "mask", seqLen: 100 } as const;
const grpo = treatment({ type: "grpo" });
const options = { ...settings, treatmentOf: () => grpo, states: {}, policyVersion: 3 };

describe("a batch", () => {
  test("is credited and normalised: weights sum to 1, credit is that of the group", () => {
    const { samples } = makeBatch({
      ...options,
      groups: [{ rollouts: rolloutsOf([1, 0], [{ sampled: 1 }, { sampled: 3 }]) }],
    });
    expect(samples.map(({ weight }) => [...weight])).toEqual([
      [0, 0, 0.25],
      [0, 0, 0.25, 0.25, 0.25],
    ]);
    expect(samples.map(({ advantage }) => (advantage.at(-1) ?? 0).toFixed(3))).toEqual(["1.000", "-1.000"]);
  });

  test("leaves out what cannot move the policy, after it counted in the normaliser", () => {
    const groups = [{ rollouts: rolloutsOf([1, 1], [], "easy") }, { rollouts: rolloutsOf([1, 0]) }];
    const batch = makeBatch({ ...options, groups });
    expect(batch.samples.map(({ id }) => id)).toEqual(["env-0/0", "env-1/0"]);
    expect(batch.samples[0]?.weight.at(-1)).toBeCloseTo(1 / 12, 6);
    expect(batch.metrics).toMatchObject({ "sample/without_effect": 2, "sample/sequences": 4 });
    // A loss that holds every token back acts without credit too.
    const held = treatment({ type: "grpo", loss: "dppo" });
    expect(makeBatch({ ...options, groups, treatmentOf: () => held }).samples).toHaveLength(4);
    expect(makeBatch({ ...options, groups: groups.slice(0, 1) }).samples).toEqual([]);
    expect(makeBatch({ ...options, groups: [] }).samples).toEqual([]);
  });

  test("is reported in numbers, over all and for each environment", () => {
    const version = { values: [1, 3], lengths: [1, 2] };
    const rollouts = [
      rolloutOf([{ version }], { id: "a" as RolloutId }),
      rolloutOf([{ sampled: 98, version: 2 }], { id: "b" as RolloutId, reward: 0 }),
      rolloutOf([{}], { id: "c" as RolloutId, reward: 0, truncated: true }),
    ];
    const { metrics } = makeBatch({
      ...options,
      seqLen: 10,
      groups: [{ rollouts }, { rollouts: rolloutsOf([0, 1], [], "other") }],
    });
    expect(metrics).toMatchObject({
      "sample/rollouts": 5,
      "sample/sequences": 4,
      // 5 + 10 (cut from 100) + 5 + 5.
      "sample/tokens": 25,
      "sample/trained_tokens": 17,
      "sample/mean_length": 6.25,
      "sample/truncated_share": 0.2,
      "sample/cut_tokens": 90,
      "sample/env/sequences": 2,
      "sample/env/cut_tokens": 90,
      "sample/env/truncated_share": 1 / 3,
      // Policy 3 is updated: one token is of policy 1, two of 3, eight of 2.
      "sample/env/age/max": 2,
      "sample/env/age/mean": 10 / 11,
      "sample/other/age/mean": 3,
    });
  });

  test("knows its oldest trained token", () => {
    const [sample] =
      collectSamples([{ rollouts: [rolloutOf([{ version: 7 }, { version: 5 }])] }], settings).groups[0]?.samples[0] ??
      [];
    if (sample === undefined) throw new Error("a rollout has a sample");
    expect(oldestVersion(sample)).toBe(5);
    const masked = { ...sample, weight: sample.weight.map((value, at) => (at < 5 ? value : 0)) };
    expect(oldestVersion(masked)).toBe(7);
    expect(oldestVersion({ ...sample, weight: new Float32Array(10) })).toBeUndefined();
  });

  test("goes to the engine in one part per loss", () => {
    const treatments = new Map([
      ["a", grpo],
      ["b", treatment({ type: "grpo", normaliseByStd: false })],
      ["c", treatment({ type: "gspo" })],
      ["d", treatment({ type: "gspo" })],
    ]);
    const treatmentOf = (env: string): Treatment => treatments.get(env) ?? grpo;
    const groups = [...treatments.keys(), "a"].map((env, index) => {
      const rollouts = rolloutsOf([1, 0], [], env).map((rollout) => ({
        ...rollout,
        id: `${index}${rollout.id}` as RolloutId,
      }));
      return { rollouts };
    });
    const { samples } = makeBatch({ ...options, groups, treatmentOf });
    const parts = byLoss(samples, treatmentOf);
    // Equal losses meet; two functions are two losses.
    expect(parts.map(({ samples }) => samples.map(({ env }) => env).join(""))).toEqual(["aaaabb", "cc", "dd"]);
  });
});

describe("logprobs of another policy", () => {
  const distilled = treatment({ type: "opd" });
  const rollouts = [
    rolloutOf([{ temperature: 0.5 }, { temperature: 1 }], { id: "a" as RolloutId }),
    rolloutOf([{ temperature: 0 }], { id: "b" as RolloutId }),
  ];

  test("are asked for at the temperatures tokens were sampled at, by environment and need", () => {
    const collected = collectSamples([{ rollouts }, { rollouts: rolloutsOf([1], [], "plain") }], settings);
    const requests = scoreRequests(collected, (env) => (env === "env" ? distilled : grpo).algorithm);
    expect(requests.map(({ samples, ...request }) => [request, samples.map(({ id }) => id)])).toEqual([
      [{ env: "env", need: "teacher", temperature: 0.5 }, ["a/0"]],
      [{ env: "env", need: "teacher", temperature: 1 }, ["a/0", "b/0"]],
    ]);
  });

  test("land on the tokens of their temperature, and on trained ones only", () => {
    const collected = collectSamples([{ rollouts }], settings);
    const answers = scoreRequests(collected, () => distilled.algorithm).map((request) => ({
      request,
      logprobs: request.samples.map(({ tokens }) => new Float32Array(tokens.length).fill(-request.temperature)),
    }));
    const scored = withScores(collected, answers)
      .groups[0]?.samples.flat()
      .map(({ reference }) => [...(reference ?? [])]);
    expect(scored).toEqual([
      [0, 0, -0.5, -0.5, -0.5, 0, 0, -1, -1, -1],
      [0, 0, -1, -1, -1],
    ]);
    const { samples, metrics } = makeBatch({
      ...options,
      groups: [{ rollouts }],
      treatmentOf: () => distilled,
      scores: answers,
    });
    // Teacher minus policy: -0.5 + 1 where it was warmer, -1 + 1 elsewhere; the second sample agrees with its teacher and is left out.
    expect(samples.map(({ advantage }) => [...advantage])).toEqual([[0, 0, 0.5, 0.5, 0.5, 0, 0, 0, 0, 0]]);
    // Over 9 trained tokens: 3 x -0.5.
    expect(metrics["sample/reference_kl"]).toBeCloseTo(-1.5 / 9, 6);
  });

  test("of the wrong length, or missing, are an error that names the sample", () => {
    const collected = collectSamples([{ rollouts }], settings);
    const [request] = scoreRequests(collected, () => distilled.algorithm);
    if (request === undefined) throw new Error("there is something to score");
    expect(() => withScores(collected, [{ request, logprobs: [new Float32Array(3)] }])).toThrow(
      "a/0 has 10 tokens and was scored on 3",
    );
    expect(() => makeBatch({ ...options, groups: [{ rollouts }], treatmentOf: () => distilled })).toThrow("a/0");
    const greedy: Algorithm = { ...distilled.algorithm, needs: ["teacher", "reference"] };
    expect(() => scoreRequests(collected, () => greedy)).toThrow("needs teacher and reference");
  });

  test("come from an engine as they are asked for: the policy it started with agrees with itself", async () => {
    const { signal } = new AbortController();
    const sampler = createToyEngine({ vocabularySize: 128 }).sampler("base");
    const [bare] = rolloutsOf([1], [{ before: 1, sampled: 2, temperature: 0.7 }]);
    if (bare === undefined) throw new Error("one rollout");
    const [own] = await sampler.score([Int32Array.of(0, 1, 2)], { temperature: 0.7, signal });
    const nodes = bare.nodes.map((node) => ({
      ...node,
      ...(node.tokens && { tokens: { ...node.tokens, logprobs: own!.slice(1) } }),
    }));
    const penalised = treatment({ type: "dr_grpo", klWeight: 1 });
    const collected = collectSamples([{ rollouts: [{ ...bare, nodes }] }], settings);
    const [request] = scoreRequests(collected, () => penalised.algorithm);
    const sequences = request?.samples.map(({ tokens }) => tokens) ?? [];
    const logprobs = await sampler.score(sequences, { temperature: request?.temperature ?? 0, signal });
    const group = withScores(collected, request ? [{ request, logprobs }] : []).groups[0];
    expect(group && penalised.algorithm.credit(group, null).credit).toEqual([[new Float32Array(3)]]);
  });
});
