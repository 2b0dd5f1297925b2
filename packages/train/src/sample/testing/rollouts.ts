// Rollouts, groups and samples for tests: small, exact, and spelled by what matters to the test.
import {
  type AgentResult,
  type Call,
  type CreditGroup,
  type GroupId,
  type MessageNode,
  type Rollout,
  type RolloutId,
  type Runs,
  runsOf,
  type Sample,
  type TaskId,
} from "@hone/core";
import { collectSamples } from "../collect.ts";

export interface Reply {
  readonly agent?: string;
  readonly parent?: number | null;
  /** Tokens of context before what is sampled: prompt, tool result. */
  readonly before?: number;
  readonly sampled?: number;
  readonly after?: number;
  readonly logprob?: number;
  readonly version?: number | Runs<number>;
  readonly temperature?: number;
}

/** One node per reply, each after the one before it unless `parent` says otherwise. Token ids count up from 100 x the node's index. */
export function rolloutOf(
  replies: readonly Reply[],
  change: Partial<Rollout> & { readonly reward?: number | null } = {},
) {
  const { reward = 1, ...rest } = change;
  const nodes = replies.map((reply, index): MessageNode => {
    const { before = 2, sampled = 3, after = 0, logprob = -1, version = 0 } = reply;
    return {
      parent: reply.parent === undefined ? (index === 0 ? null : index - 1) : reply.parent,
      agent: reply.agent ?? "agent",
      message: { role: "assistant", content: "" },
      sampled: true,
      tokens: {
        ids: Int32Array.from({ length: before + sampled + after }, (_, at) => 100 * index + at),
        sampledFrom: before,
        logprobs: new Float32Array(sampled).fill(logprob),
        policyVersion: typeof version === "number" ? runsOf(version, sampled) : version,
      },
    };
  });
  const calls = replies.map(({ temperature = 1 }, node): Call => {
    const usage = { inputTokens: 0, outputTokens: 0 };
    return {
      node,
      endpoint: "policy",
      sampling: { temperature },
      usage,
      finish: "stop",
      startedAtMs: 0,
      durationMs: 0,
    };
  });
  const rollout: Rollout = {
    id: "r" as RolloutId,
    group: "g" as GroupId,
    index: 0,
    attempt: 0,
    seed: 0,
    env: "env",
    envVersion: "1",
    taskId: "t" as TaskId,
    taskHash: "",
    agents: [agentOf("agent", reward)],
    nodes,
    calls,
    state: null,
    stop: { type: "answered" },
    truncated: false,
    timing: { startedAtMs: 0, durationMs: 0, setupMs: 0, modelMs: 0, scoringMs: 0 },
    info: {},
    ...rest,
  };
  return rollout;
}

export function agentOf(name: string, reward: number | null, trainable = true): AgentResult {
  return { name, trainable, model: "m", reward, rewards: {}, metrics: {} };
}

/** One rollout of one reply per reward; `replies` says how they differ. */
export function rolloutsOf(
  rewards: readonly (number | null)[],
  replies: readonly Reply[] = [],
  env = "env",
): Rollout[] {
  return rewards.map((reward, index) =>
    rolloutOf([replies[index] ?? {}], { id: `${env}-${index}` as RolloutId, index, env, reward }),
  );
}

export function groupOf(rewards: readonly (number | null)[], replies: readonly Reply[] = []): CreditGroup {
  const { groups } = collectSamples([{ rollouts: rolloutsOf(rewards, replies) }], { truncated: "keep", seqLen: 1000 });
  return groups[0] ?? { env: "env", agent: "agent", rollouts: [], samples: [] };
}

/** The group as if a reference or teacher had given every token this logprob. */
export function withReference(group: CreditGroup, logprob: number): CreditGroup {
  const scored = (sample: Sample): Sample => {
    return { ...sample, reference: new Float32Array(sample.tokens.length).fill(logprob) };
  };
  return { ...group, samples: group.samples.map((branches) => branches.map(scored)) };
}

/** A sample of which every token but the first is trained. */
export function sampleOf(advantage: readonly number[], change: Partial<Sample> = {}): Sample {
  const group = groupOf([1], [{ before: 1, sampled: advantage.length }]);
  const [sample] = group.samples.flat();
  if (sample === undefined) throw new RangeError("a sample has at least one advantage");
  return { ...sample, advantage: Float32Array.of(0, ...advantage), ...change };
}
