// The control of an experiment: rewards change places inside each group before credit. The policy is pushed as hard and as often as in the real run, and
// towards nothing; what it "learns" then is what the rest of the pipeline does by itself. Only credit sees it: metrics and files keep the true rewards.
import { type AgentResult, createRandom, type Rollout } from "@hone/core";

/** The same rollouts, each with the results of another of them. The order depends on the seed and the group alone. */
export function shuffleRewards(rollouts: readonly Rollout[], seed: number): Rollout[] {
  const [first] = rollouts;
  if (first === undefined) return [];
  const from = createRandom(`${seed}/shuffled rewards/${first.group}`).shuffle(rollouts);
  return rollouts.map((rollout, index) => {
    const other = from[index] ?? rollout;
    return { ...rollout, agents: rollout.agents.map((agent) => withRewardOf(agent, other)) };
  });
}

function withRewardOf(agent: AgentResult, { agents }: Rollout): AgentResult {
  const same = agents.find(({ name }) => name === agent.name) ?? agent;
  return { ...agent, reward: same.reward, rewards: same.rewards };
}
