// The whole way on a real engine: sampled tokens, rewards, credit, update; and the control that must not learn.
import {
  createRandom,
  forwardBackwardCustom,
  type Random,
  type Rollout,
  type RolloutId,
  type Sampler,
} from "@hone/core";
import { createToyEngine } from "@hone/core/testing";
import { describe, expect, test } from "vitest";
import { AlgorithmConfig, type NamedAlgorithmConfig } from "../algorithm/config.ts";
import { createAlgorithm } from "../algorithm/create.ts";
import { normaliserOf } from "../algorithm/normaliser-config.ts";
import { byLoss, finishBatch } from "./batch.ts";
import { collectSamples } from "./collect.ts";
import { scoreRequests, withScores } from "./scores.ts";
import { rolloutOf, sampleOf } from "./testing/rollouts.ts";

const vocabularySize = 8;
const step = { learningRate: 0.3, betas: [0.9, 0.95], epsilon: 1e-8, weightDecay: 0, gradientClip: 1 } as const;
const { signal } = new AbortController();

interface Update {
  /** Mean of what the rollouts of this update really earned. */
  readonly reward: number;
  /** Mean divergence from whoever scored them. */
  readonly divergence: number;
}
interface Variation {
  readonly seed?: number;
  /** Rewards change places inside each group. */
  readonly isShuffled?: boolean;
  readonly teacher?: Sampler;
}

async function thirtyUpdates(
  config: object,
  { seed = 1, isShuffled = false, teacher }: Variation = {},
): Promise<Update[]> {
  const parsed = AlgorithmConfig.parse(config) as NamedAlgorithmConfig;
  const context = { maxTokens: 4 };
  const treatment = { algorithm: createAlgorithm(parsed, context), normaliser: normaliserOf(parsed, context) };
  const treatmentOf = () => treatment;
  const engine = createToyEngine({ vocabularySize, seed });
  const trainer = await engine.open({ model: "toy", adapter: "full" });
  const random = createRandom(seed);
  const updates: Update[] = [];
  for (let version = 0; version < 30; version++) {
    const prompts = [0, 2, 4, 6];
    const groups = await Promise.all(prompts.map((prompt) => countOn(engine.sampler("latest"), prompt, version)));
    const credited = isShuffled ? groups.map((rollouts) => shuffleRewards(rollouts, random)) : groups;
    const collected = collectSamples(
      credited.map((rollouts) => ({ rollouts })),
      { truncated: "mask", seqLen: 64 },
    );
    const answers = await Promise.all(
      scoreRequests(collected, () => treatment.algorithm).map(async (request) => {
        const sequences = request.samples.map(({ tokens }) => tokens);
        const { temperature } = request;
        const scorer = teacher ?? engine.sampler("base");
        return { request, logprobs: await scorer.score(sequences, { temperature, signal }) };
      }),
    );
    const batch = finishBatch(withScores(collected, answers), { treatmentOf, states: {}, policyVersion: version });
    for (const { loss, samples } of byLoss(batch.samples, treatmentOf)) {
      if (typeof loss === "function") await forwardBackwardCustom(trainer, samples, loss);
      else await trainer.forwardBackward(samples, loss);
    }
    await trainer.update(step);
    await trainer.publish();
    updates.push({
      reward: mean(groups.flat().map(({ agents }) => agents[0]?.reward ?? 0)),
      divergence: batch.metrics["sample/reference_kl"] ?? 0,
    });
  }
  return updates;
}

/** A task: count on from `prompt`, four tokens, sixteen rollouts. The reward is the share of tokens that follow on the one before. */
async function countOn(sampler: Sampler, prompt: number, seed: number): Promise<Rollout[]> {
  const sampling = { maxTokens: 4, temperature: 1, seed: 100 * seed + prompt, stopTokens: [] };
  const { sequences } = await sampler.generate({ prompt: Int32Array.of(prompt), count: 16, sampling }, { signal });
  return sequences.map(({ ids: reply, logprobs, policyVersion }, index) => {
    const ids = Int32Array.of(prompt, ...reply);
    const reward = mean(Array.from(reply, (id, at) => (id === ((ids[at] ?? 0) + 1) % vocabularySize ? 1 : 0)));
    const rollout = rolloutOf([{}], { id: `${prompt}-${index}` as RolloutId, reward });
    const tokens = { ids, sampledFrom: 1, logprobs, policyVersion };
    return { ...rollout, nodes: rollout.nodes.map((node) => ({ ...node, tokens })) };
  });
}

function shuffleRewards(rollouts: readonly Rollout[], random: Random): Rollout[] {
  const agents = random.shuffle(rollouts.map((rollout) => rollout.agents));
  return rollouts.map((rollout, index) => ({ ...rollout, agents: agents[index] ?? [] }));
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const gainOf = (updates: readonly Update[]): number => {
  const rewards = updates.map(({ reward }) => reward);
  return mean(rewards.slice(-5)) - mean(rewards.slice(0, 5));
};

describe("thirty updates on a toy task", () => {
  const plain = ["grpo", "dr_grpo", "rloo", "reinforce_pp", "cispo", "max_rl"].map((type) => ({ type }));
  const others = [
    { type: "gspo", clipLow: 0.8, clipHigh: 1.2 },
    { type: "dapo", overlongPenalty: 0 },
    { type: "sft", minReward: 0.5 },
  ];
  for (const config of [...plain, ...others]) {
    test(`${config.type} raises the reward`, async () => {
      expect(gainOf(await thirtyUpdates(config))).toBeGreaterThan(0.4);
    });
  }

  test("grpo with rewards shuffled inside each group does not", async () => {
    const gains = await Promise.all(
      [1, 2, 3, 4, 5, 6, 7, 8].map(async (seed) =>
        gainOf(await thirtyUpdates({ type: "grpo" }, { seed, isShuffled: true })),
      ),
    );
    // A policy that is pushed about at random drifts, up or down; over seeds it goes nowhere.
    expect(Math.abs(mean(gains))).toBeLessThan(0.1);
  });

  test("opd brings the policy to a teacher that can do the task, without reading a reward", async () => {
    const updates = await thirtyUpdates({ type: "opd" }, { teacher: await teacherThatCounts(), isShuffled: true });
    expect(gainOf(updates)).toBeGreaterThan(0.4);
    expect(updates.at(-1)?.divergence).toBeLessThan(0.1 * (updates[0]?.divergence ?? 0));
  });

  test("a penalty for leaving the starting policy keeps it nearer", async () => {
    const [free, held] = await Promise.all(
      [1e-9, 0.1].map((klWeight) => thirtyUpdates({ type: "grpo", normaliseByStd: false, klWeight })),
    );
    expect(held?.at(-1)?.divergence ?? 0).toBeLessThan(0.7 * (free?.at(-1)?.divergence ?? 0));
  });
});

async function teacherThatCounts(): Promise<Sampler> {
  const engine = createToyEngine({ vocabularySize, seed: 99 });
  const trainer = await engine.open({ model: "toy", adapter: "full" });
  const tokens = Int32Array.from({ length: vocabularySize + 1 }, (_, at) => at % vocabularySize);
  for (let update = 0; update < 10; update++) {
    await trainer.forwardBackward(
      [
        sampleOf(
          Array.from({ length: vocabularySize }, () => 1),
          { tokens },
        ),
      ],
      { type: "cross_entropy" },
    );
    await trainer.update(step);
  }
  await trainer.publish();
  return engine.sampler("latest");
}
