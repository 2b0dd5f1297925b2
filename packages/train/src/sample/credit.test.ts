import type { Algorithm, Credit, Json, RolloutId } from "@hone/core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { collectSamples } from "./collect.ts";
import { creditSamples } from "./credit.ts";
import { agentOf, rolloutOf, rolloutsOf } from "./testing/rollouts.ts";

const settings = { truncated: "mask", seqLen: 100 } as const;

function algorithmGiving(credit: readonly Credit[], more: Partial<Algorithm> = {}): Algorithm {
  return {
    name: "given",
    needs: [],
    loss: { type: "importance_sampling" },
    credit: (_, state) => ({ credit, state }),
    ...more,
  };
}

describe("credit on samples", () => {
  test("a number goes to every trained token of the rollout, in all its branches, and to no other", () => {
    const rollout = rolloutOf([{ after: 1 }, { parent: 0, sampled: 1 }, { parent: 0, sampled: 1 }]);
    const collected = collectSamples([{ rollouts: [rollout] }], settings);
    const { samples } = creditSamples(collected, { algorithmOf: () => algorithmGiving([0.5]), states: {} });
    expect(samples.map(({ advantage }) => [...advantage])).toEqual([
      [0, 0, 0.5, 0.5, 0.5, 0, 0, 0, 0.5],
      [0, 0, 0, 0, 0, 0, 0, 0, 0.5],
    ]);
  });

  test("tool and user tokens never get credit, whatever an algorithm gives them", () => {
    const reply = fc.record({
      before: fc.nat(3),
      sampled: fc.nat(3),
      after: fc.nat(2),
      parent: fc.constantFrom(0, undefined),
    });
    const replies = fc.array(reply, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(replies, fc.boolean(), ([first, ...rest], asColumns) => {
        const tree = [
          { ...first, before: (first?.before ?? 0) + 1, parent: null }, // a conversation starts with a prompt
          ...rest.map(({ parent, ...reply }) => (parent === 0 ? { ...reply, parent } : reply)),
        ];
        const collected = collectSamples([{ rollouts: [rolloutOf(tree)] }], settings);
        const lavish: Algorithm["credit"] = ({ samples }, state) => {
          const columns = (samples[0] ?? []).map(({ tokens }) => new Float32Array(tokens.length).fill(7));
          return { credit: [asColumns ? columns : 7], state };
        };
        const { samples } = creditSamples(collected, {
          algorithmOf: () => algorithmGiving([], { credit: lavish }),
          states: {},
        });
        for (const { weight, advantage } of samples) {
          expect(advantage).toEqual(weight.map((part) => (part === 0 ? 0 : 7)));
        }
        // Once per sampled token, branches or not.
        const trained = samples.flatMap(({ weight }) => [...weight]).filter((part) => part !== 0).length;
        const sampled = tree.reduce((sum, { sampled = 0 }) => sum + sampled, 0);
        expect(trained).toBe(sampled);
      }),
    );
  });

  test("each agent of a group is credited from its own rewards, in its own samples", () => {
    const rollouts = [0, 1].map((index) =>
      rolloutOf([{ agent: "white" }, { agent: "black" }], {
        id: `r${index}` as RolloutId,
        agents: [agentOf("white", index), agentOf("black", -index, index === 0), agentOf("judge", 1, false)],
      }),
    );
    const { groups } = collectSamples([{ rollouts }], settings);
    expect(
      groups.map(({ agent, rollouts, samples }) => [agent, rollouts.length, samples.flat().map(({ id }) => id)]),
    ).toEqual([
      ["white", 2, ["r0/0/white", "r1/0/white"]],
      // In the other rollout black was somebody else's.
      ["black", 1, ["r0/0"]],
    ]);
  });

  test("a masked rollout still counts in its group", () => {
    const rollouts = rolloutsOf([1, 0]).map((rollout, index) => ({ ...rollout, truncated: index === 1 }));
    const collected = collectSamples([{ rollouts }], settings);
    expect(collected.groups[0]?.rollouts).toHaveLength(2);
    const { samples } = creditSamples(collected, { algorithmOf: () => algorithmGiving([1, -1]), states: {} });
    expect(samples.map(({ id }) => id)).toEqual(["env-0/0"]);
    expect(Object.fromEntries(collected.counts)).toEqual({ env: { rollouts: 2, truncated: 1, cutTokens: 0 } });
  });

  test("a failed rollout is refused by name", () => {
    const failure = { boundary: "tool", code: "x", message: "x", isRetryable: false } as const;
    const failed = rolloutOf([{}], { failure });
    expect(() => collectSamples([{ rollouts: [failed] }], settings)).toThrow("rollout r failed at the tool");
  });
});

describe("an algorithm", () => {
  const groups = [
    { rollouts: rolloutsOf([1, 0]) },
    { rollouts: rolloutsOf([1], [], "other") },
    { rollouts: rolloutsOf([1]) },
  ];

  test("is handed its state from group to group, for each environment", () => {
    const counting: Algorithm = algorithmGiving([], {
      credit: ({ rollouts }, state: Json) => {
        const seen = Number(state ?? 0);
        return { credit: rollouts.map(() => seen), state: seen + rollouts.length };
      },
    });
    const collected = collectSamples(groups, settings);
    const { samples, states } = creditSamples(collected, {
      algorithmOf: () => counting,
      states: { other: 5, idle: 1 },
    });
    expect(states).toEqual({ env: 3, other: 6, idle: 1 });
    expect(samples.map(({ advantage }) => advantage.at(-1))).toEqual([0, 0, 5, 2]);
  });

  test("takes a last look at all of its samples, of several environments too", () => {
    const sizes: number[] = [];
    const finish: Algorithm["finish"] = (batch) => {
      sizes.push(batch.length);
      return batch.slice(1);
    };
    const first = algorithmGiving([], {
      credit: ({ rollouts }, state) => ({ credit: rollouts.map(() => 1), state }),
      finish,
    });
    const collected = collectSamples(groups, settings);
    expect(creditSamples(collected, { algorithmOf: () => first, states: {} }).samples).toHaveLength(3);
    const second = { ...first };
    creditSamples(collected, { algorithmOf: (env) => (env === "env" ? first : second), states: {} });
    expect(sizes).toEqual([4, 3, 1]);
  });

  test("that gives what is no credit is told so by name", () => {
    const [rollout] = rolloutsOf([1]);
    const collected = collectSamples([{ rollouts: rollout ? [rollout] : [] }], settings);
    const give = (credit: readonly Credit[]) => () =>
      creditSamples(collected, { algorithmOf: () => algorithmGiving(credit), states: {} });
    expect(give([])).toThrow('the algorithm "given" credited 0 rollouts of a group of 1');
    expect(give([Number.NaN])).toThrow("gave rollout env-0 the credit NaN");
    expect(give([[]])).toThrow("gave 0 columns for the 1 samples of rollout env-0");
    expect(give([[new Float32Array(4)]])).toThrow("gave sample env-0/0 a column of 4, and it has 5 tokens");
    expect(give([[Float32Array.of(0, 0, 1, Number.POSITIVE_INFINITY, 1)]])).toThrow("the credit Infinity at token 3");
    expect(give([[Float32Array.of(Number.NaN, 0, 1, 1, 1)]])).not.toThrow();
  });
});
