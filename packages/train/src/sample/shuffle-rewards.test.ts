import * as fc from "fast-check";
import { expect, test } from "vitest";
import { shuffleRewards } from "./shuffle-rewards.ts";
import { rolloutsOf } from "./testing/rollouts.ts";

const rewards = (rollouts: readonly { readonly agents: readonly { readonly reward: number | null }[] }[]) =>
  rollouts.map(({ agents }) => agents[0]?.reward ?? 0);

test("rewards change places and nothing else does: a group keeps its rewards, a rollout its tokens", () => {
  fc.assert(
    fc.property(fc.array(fc.float({ noNaN: true }), { maxLength: 20 }), fc.integer(), (values, seed) => {
      const rollouts = rolloutsOf(values);
      const shuffled = shuffleRewards(rollouts, seed);
      const sorted = (of: typeof rollouts) => rewards(of).toSorted((a, b) => a - b);
      expect(sorted(shuffled)).toEqual(sorted(rollouts));
      expect(shuffled.map(({ nodes, id }) => [nodes, id])).toEqual(rollouts.map(({ nodes, id }) => [nodes, id]));
    }),
  );
});

test("the same seed and group give the same places, another seed others", () => {
  const rollouts = rolloutsOf(Array.from({ length: 16 }, (_, index) => index));
  expect(rewards(shuffleRewards(rollouts, 1))).toEqual(rewards(shuffleRewards(rollouts, 1)));
  expect(rewards(shuffleRewards(rollouts, 1))).not.toEqual(rewards(shuffleRewards(rollouts, 2)));
  expect(rewards(shuffleRewards(rollouts, 1))).not.toEqual(rewards(rollouts));
});
