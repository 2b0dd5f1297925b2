import { type Algorithm, type Credit, HoneError, type RolloutId } from "@hone/core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type * as z from "zod";
import { applyCredit } from "../sample/credit.ts";
import { collectSamples } from "../sample/collect.ts";
import { agentOf, groupOf, type Reply, rolloutOf, withReference } from "../sample/testing/rollouts.ts";
import { AlgorithmConfig, comparesRewards } from "./config.ts";
import { createAlgorithm } from "./create.ts";
import { hasSignal, rewardsOf } from "./rewards.ts";

type Config = z.input<typeof AlgorithmConfig>;

function algorithmOf(config: Config): Algorithm {
  const parsed = AlgorithmConfig.parse(config);
  if (parsed.type === "file") throw new TypeError("a file is loaded elsewhere");
  return createAlgorithm(parsed, { maxTokens: 100 });
}
function creditOf(config: Config, rewards: readonly number[], replies: readonly Reply[] = []): readonly Credit[] {
  return algorithmOf(config).credit(groupOf(rewards, replies), null).credit;
}
const numbersOf = (credit: readonly Credit[]): number[] =>
  credit.map((value) => Math.round(Number(value) * 1e4) / 1e4 + 0);
const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Rewards on a grid: what scoring gives, and coarse enough for tolerances. */
const reward = fc.integer({ min: -20, max: 20 }).map((value) => value / 10);
const rewardGroup = fc.array(reward, { minLength: 2, maxLength: 16 });
const comparing = ["grpo", "dr_grpo", "rloo", "reinforce_pp", "gspo", "cispo", "dapo", "max_rl"] as const;

describe("credit computed by hand", () => {
  test("grpo: differences to the mean, in deviations of the group", () => {
    // mean 0.5; differences 0.5 0.5 -0.5 -0.5; deviation sqrt(4 x 0.25 / 4) = 0.5.
    expect(numbersOf(creditOf({ type: "grpo" }, [1, 1, 0, 0]))).toEqual([1, 1, -1, -1]);
    // mean 0.25; differences 0.75 and -0.25; deviation sqrt((0.5625 + 3 x 0.0625) / 4) = 0.4330; 0.75 / (0.4330 + 1e-6) = 1.7320.
    expect(numbersOf(creditOf({ type: "grpo" }, [0, 1, 0, 0]))).toEqual([-0.5773, 1.732, -0.5773, -0.5773]);
    expect(numbersOf(creditOf({ type: "grpo", normaliseByStd: false }, [0, 1, 0, 0]))).toEqual([
      -0.25, 0.75, -0.25, -0.25,
    ]);
  });

  test("dr_grpo: differences to the mean, as they are", () => {
    expect(numbersOf(creditOf({ type: "dr_grpo" }, [3, 1, 1, 1]))).toEqual([1.5, -0.5, -0.5, -0.5]);
  });

  test("rloo: differences to the mean of the others", () => {
    // 1 - mean(0, 0.5) = 0.75; 0 - mean(1, 0.5) = -0.75; 0.5 - mean(1, 0) = 0.
    expect(numbersOf(creditOf({ type: "rloo" }, [1, 0, 0.5]))).toEqual([0.75, -0.75, 0]);
    expect(numbersOf(creditOf({ type: "rloo" }, [1]))).toEqual([0]);
  });

  test("reinforce_pp: differences to the group's mean, divided by the deviation over the batch's tokens", () => {
    // One group: credits 0.5 -0.5 on 1 and 3 tokens. Mean (0.5 - 1.5) / 4 = -0.25; variance (0.75^2 + 3 x 0.25^2) / 4 = 0.1875,
    // deviation 0.4330; 0.5 / 0.4330 = 1.1547.
    const algorithm = algorithmOf({ type: "reinforce_pp" });
    const group = groupOf([1, 0], [{ sampled: 1 }, { sampled: 3 }]);
    const { credit } = algorithm.credit(group, null);
    expect(credit).toEqual([0.5, -0.5]);
    const batch = group.samples.flatMap((branches, index) => applyCredit(branches, credit[index] ?? 0, "test"));
    const finished = algorithm.finish?.(batch).map(({ advantage }) => [...advantage].map((value) => value.toFixed(4)));
    expect(finished).toEqual([
      ["0.0000", "0.0000", "1.1547"],
      ["0.0000", "0.0000", "-1.1547", "-1.1547", "-1.1547"],
    ]);
  });

  test("max_rl: differences to the mean, divided by the mean", () => {
    // mean 0.25: 0.75 / 0.25 = 3 and -0.25 / 0.25 = -1.
    expect(numbersOf(creditOf({ type: "max_rl" }, [0, 1, 0, 0]))).toEqual([-1, 3, -1, -1]);
    expect(numbersOf(creditOf({ type: "max_rl" }, [-1, 0]))).toEqual([0, 0]);
  });

  test("dapo: a reply that nears its limit loses reward, one at the limit all of the penalty", () => {
    // Limit 100, window 20. 80 tokens: 0. 90: (90 - 80) / 20 = 0.5. 100: 1. Rewards 1 0.5 0 have mean 0.5.
    const replies = [{ sampled: 80 }, { sampled: 90 }, { sampled: 100 }];
    const plain = { type: "dapo", normaliseByStd: false } as const;
    expect(numbersOf(creditOf(plain, [1, 1, 1], replies))).toEqual([0.5, 0, -0.5]);
    // Window 40: 80 tokens lose (80 - 60) / 40 = 0.5, 90 lose 0.75, 100 lose 1. Rewards 0.5 0.25 0 have mean 0.25.
    expect(numbersOf(creditOf({ ...plain, overlongWindowTokens: 40 }, [1, 1, 1], replies))).toEqual([0.25, 0, -0.25]);
    expect(numbersOf(creditOf({ ...plain, overlongTokens: 200 }, [1, 0, 1], replies))).toEqual([
      0.3333, -0.6667, 0.3333,
    ]);
    expect(numbersOf(creditOf({ ...plain, overlongPenalty: 0 }, [1, 1, 1], replies))).toEqual([0, 0, 0]);
    expect(algorithmOf({ type: "dapo" }).loss).toEqual({ type: "ppo", clipLow: 0.8, clipHigh: 1.28 });
  });

  test("cispo and gspo: credit as in grpo, their own loss", () => {
    for (const type of ["cispo", "gspo"] as const) {
      expect(numbersOf(creditOf({ type }, [1, 1, 0, 0]))).toEqual([1, 1, -1, -1]);
      expect(numbersOf(creditOf({ type, normaliseByStd: false }, [1, 1, 0, 0]))).toEqual([0.5, 0.5, -0.5, -0.5]);
    }
    expect(algorithmOf({ type: "cispo" }).loss).toEqual({ type: "cispo", clipLow: 0, clipHigh: 4 });
    expect(typeof algorithmOf({ type: "gspo" }).loss).toBe("function");
  });

  test("opd: the teacher's logprob minus the policy's, on sampled tokens only", () => {
    const algorithm = algorithmOf({ type: "opd" });
    expect([algorithm.needs, algorithm.loss]).toEqual([["teacher"], { type: "importance_sampling" }]);
    const group = withReference(
      groupOf(
        [null, null],
        [
          { sampled: 2, logprob: -2 },
          { sampled: 1, logprob: -0.25 },
        ],
      ),
      -0.5,
    );
    // -0.5 + 2 = 1.5: the teacher would have said it sooner. -0.5 + 0.25 = -0.25: the teacher doubts it.
    const columns = algorithm
      .credit(group, null)
      .credit.map((credit) => (credit as Float32Array[]).map((column) => [...column]));
    expect(columns).toEqual([[[0, 0, 1.5, 1.5]], [[0, 0, -0.25]]]);
    const bounded = algorithmOf({ type: "opd", maxCredit: 0.2 }).credit(group, null).credit.flat();
    expect(bounded).toEqual([Float32Array.of(0, 0, 0.2, 0.2), Float32Array.of(0, 0, -0.2)]);
  });

  test("sft: credit 1 for all, or for rollouts that earned enough", () => {
    expect(creditOf({ type: "sft" }, [0, 1])).toEqual([1, 1]);
    const algorithm = algorithmOf({ type: "sft", minReward: 0.5 });
    const group = groupOf([0, 0.5]);
    const { credit } = algorithm.credit(group, null);
    expect(credit).toEqual([0, 1]);
    // Cross-entropy reads no advantage: what is not imitated loses its weight.
    const batch = group.samples.flatMap((branches, index) => applyCredit(branches, credit[index] ?? 0, "test"));
    expect(algorithm.finish?.(batch).map(({ weight }) => sumOf([...weight]))).toEqual([0, 3]);
    expect(algorithm.loss).toEqual({ type: "cross_entropy" });
  });

  test("a length penalty takes off a share of the mean reward, by tokens said, tokens read and turns", () => {
    // Mean reward 1. Rollout 0: out 2/4, in 1/2, turns 1/1; rollout 1: 4/4, 2/2, 1/1.
    const replies = [
      { before: 1, sampled: 2 },
      { before: 2, sampled: 4 },
    ];
    const config = { type: "dr_grpo", lengthPenalty: {} } as const;
    // 0.25 x 0.5 + 0.1 x 0.5 + 0.1 = 0.275 and 0.45: rewards 0.725 and 0.55, half the difference each way.
    expect(numbersOf(creditOf(config, [1, 1], replies))).toEqual([0.0875, -0.0875]);
    const onlyOutput = { type: "dr_grpo", lengthPenalty: { output: 1, input: 0, turns: 0 } } as const;
    expect(numbersOf(creditOf(onlyOutput, [1, 1], replies))).toEqual([0.25, -0.25]);
  });

  test("lengths are those of the agent that is credited, not of whom it talks with", () => {
    const rollouts = [1, 9].map((sampled, index) =>
      rolloutOf([{ agent: "white" }, { agent: "black", sampled }], {
        id: `r${index}` as RolloutId,
        agents: [agentOf("white", 1), agentOf("black", 1)],
      }),
    );
    const { groups } = collectSamples([{ rollouts }], { truncated: "keep", seqLen: 100 });
    const algorithm = algorithmOf({ type: "dr_grpo", lengthPenalty: { output: 1, input: 0, turns: 0 } });
    // White says 3 tokens in both; black 1 and 9: rewards 1 - 1/9 and 0, half the difference of 8/9 each way.
    const credits = groups.map((group) => [group.agent, numbersOf(algorithm.credit(group, null).credit)]);
    expect(credits).toEqual([
      ["white", [0, 0]],
      ["black", [0.4444, -0.4444]],
    ]);
  });
});

describe("properties of credit", () => {
  for (const type of comparing) {
    // Shaped or divided by the mean, rewards may not be shifted.
    const isShiftable = type !== "max_rl";
    const credits = (rewards: readonly number[]): number[] => creditOf({ type }, rewards).map(Number);

    test(`${type}: credit sums to zero`, () => {
      fc.assert(
        fc.property(rewardGroup, (rewards) => {
          expect(Math.abs(sumOf(credits(rewards)))).toBeLessThan(1e-6);
        }),
      );
    });

    test(`${type}: a group whose rewards agree gets exactly 0`, () => {
      fc.assert(
        fc.property(reward, fc.integer({ min: 1, max: 16 }), (value, count) => {
          // Thirds and tenths: their mean is not what they are.
          const rewards = Array.from({ length: count }, () => value / 3);
          expect(credits(rewards).every((credit) => credit === 0)).toBe(true);
          expect(hasSignal(groupOf(rewards))).toBe(false);
        }),
      );
    });

    test(`${type}: neither the order of rollouts nor, where it may be, a shift of rewards matters`, () => {
      fc.assert(
        fc.property(rewardGroup, fc.integer({ min: -5, max: 5 }), fc.nat(), (rewards, shift, rotate) => {
          const moved = (values: readonly number[]): number[] =>
            values.map((_, at) => values[(at + rotate) % values.length]!);
          const rotated = credits(moved(rewards));
          for (const [at, credit] of moved(credits(rewards)).entries()) expect(rotated[at]).toBeCloseTo(credit, 6);
          if (!isShiftable) return;
          const shifted = credits(rewards.map((value) => value + shift));
          for (const [at, credit] of credits(rewards).entries()) expect(shifted[at]).toBeCloseTo(credit, 6);
        }),
      );
    });

    test(`${type}: a higher reward never gets less credit`, () => {
      fc.assert(
        fc.property(rewardGroup, (rewards) => {
          const given = credits(rewards);
          const order = rewards.map((_, at) => at).sort((a, b) => rewards[a]! - rewards[b]!);
          for (let at = 1; at < order.length; at++)
            expect(given[order[at]!]! - given[order[at - 1]!]!).toBeGreaterThan(-1e-9);
        }),
      );
    });
  }

  test("rloo is n / (n - 1) of the differences to the mean", () => {
    fc.assert(
      fc.property(rewardGroup, (rewards) => {
        const n = rewards.length;
        const plain = creditOf({ type: "dr_grpo" }, rewards);
        for (const [at, credit] of creditOf({ type: "rloo" }, rewards).entries()) {
          expect(credit).toBeCloseTo((Number(plain[at]) * n) / (n - 1), 9);
        }
      }),
    );
  });

  test("grpo has a deviation of 1, whatever the scale of rewards", () => {
    fc.assert(
      fc.property(rewardGroup, fc.integer({ min: 1, max: 100 }), (rewards, scale) => {
        fc.pre(hasSignal(groupOf(rewards)));
        const credits = creditOf(
          { type: "grpo" },
          rewards.map((value) => value * scale),
        ).map(Number);
        expect(sumOf(credits.map((credit) => credit ** 2)) / credits.length).toBeCloseTo(1, 4);
      }),
    );
  });

  test("reinforce_pp has a deviation of 1 over the trained tokens of a batch, and agreeing groups stay at 0", () => {
    fc.assert(
      fc.property(fc.array(rewardGroup, { minLength: 1, maxLength: 4 }), (groups) => {
        fc.pre(groups.some((rewards) => hasSignal(groupOf(rewards))));
        const algorithm = algorithmOf({ type: "reinforce_pp" });
        const batch = [...groups, [1, 1, 1]].flatMap((rewards) => {
          const group = groupOf(rewards);
          const { credit } = algorithm.credit(group, null);
          return group.samples.flatMap((branches, index) => applyCredit(branches, credit[index] ?? 0, "test"));
        });
        const finished = algorithm.finish?.(batch) ?? [];
        const trained = finished.flatMap(({ weight, advantage }) => [...advantage].filter((_, at) => weight[at] !== 0));
        const mean = sumOf(trained) / trained.length;
        expect(sumOf(trained.map((value) => (value - mean) ** 2)) / trained.length).toBeCloseTo(1, 4);
        for (const { advantage } of finished.slice(-3)) expect(advantage.every((value) => value === 0)).toBe(true);
      }),
    );
  });

  test("opd: credit is positive exactly where the teacher finds a token likelier", () => {
    const logprob = fc.integer({ min: -50, max: 0 }).map((value) => value / 10);
    fc.assert(
      fc.property(logprob, logprob, (own, teacher) => {
        const group = withReference(groupOf([0], [{ before: 1, sampled: 1, logprob: own }]), teacher);
        const [column] = algorithmOf({ type: "opd" }).credit(group, null).credit.flat() as Float32Array[];
        expect(Math.sign(column?.[1] ?? 0)).toBe(Math.sign(teacher - own));
      }),
    );
  });
});

describe("rewards", () => {
  test("a rollout without a reward is named", () => {
    const without = (reward: number | null): unknown => {
      try {
        return rewardsOf(groupOf([1, reward]));
      } catch (error) {
        return HoneError.is(error) ? error.message : error;
      }
    };
    expect(without(0)).toEqual([1, 0]);
    expect(without(null)).toBe('rollout env-1 has no reward for agent "agent": it is null');
    expect(without(Number.NaN)).toContain("rollout env-1");
    expect(() => creditOf({ type: "grpo" }, [1, Number.NaN])).toThrow("env-1");
  });

  test("rewards that differ by rounding alone agree", () => {
    expect(hasSignal(groupOf([0.1 + 0.2, 0.3]))).toBe(false);
    expect(hasSignal(groupOf([0.3, 0.31]))).toBe(true);
    expect(creditOf({ type: "grpo" }, [0.1 + 0.2, 0.3])).toEqual([0, 0]);
  });

  test("what does not compare rewards is not filtered by them", () => {
    const types = ["grpo", "opd", "sft"].map((type) => comparesRewards(AlgorithmConfig.parse({ type })));
    expect(types).toEqual([true, false, false]);
  });
});
