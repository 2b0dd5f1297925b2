// What an environment or an engine gives back is looked at before anything relies on it. Nonsense makes a failed rollout, with the boundary it came
// from: it never becomes a reward of 0, a gradient that is not finite, or the end of the run.
import { type Failure, type Rollout, type RolloutIdentity, runsLength, type Task, taskHash } from "@hone/core";

/** The rollout, or the same one failed. */
export function checkRollout(rollout: Rollout): Rollout {
  if (rollout.failure !== undefined || rollout.stop.type === "cancelled") return rollout;
  const failure = nonsense(rollout);
  return failure === undefined ? rollout : { ...rollout, failure };
}

function nonsense({ agents, nodes }: Rollout): Failure | undefined {
  const reward = agents[0]?.reward ?? null;
  if (reward === null) return unusable("reward", "no-reward", "The environment gave no reward.");
  if (agents.some((agent) => agent.reward !== null && !Number.isFinite(agent.reward)))
    return unusable("reward", "bad-reward", `The reward is ${reward}: not a finite number.`);
  for (const { sampled, tokens } of nodes) {
    if (!sampled) continue;
    if (tokens === undefined) return unusable("model", "no-tokens", "The model gave no token ids with its reply.");
    const { ids, sampledFrom, logprobs, policyVersion } = tokens;
    if (sampledFrom + logprobs.length > ids.length || runsLength(policyVersion) !== logprobs.length)
      return unusable("model", "bad-tokens", "The model's token ids, logprobs and versions differ in length.");
    for (let at = 0; at < logprobs.length; at++) {
      if (Number.isFinite(logprobs[at])) continue;
      return unusable("model", "bad-tokens", `A logprob of the model is ${logprobs[at]}.`);
    }
  }
  return undefined;
}

function unusable(boundary: Failure["boundary"], code: string, message: string): Failure {
  return { boundary, code, message, isRetryable: false };
}

export interface Broken {
  readonly env: string;
  readonly task: Task;
  readonly identity: RolloutIdentity;
  readonly model: string;
  readonly failure: Failure;
}

/** A rollout of which nothing came back but an error: it is counted and visible like any other. */
export function brokenRollout({ env, task, identity, model, failure }: Broken): Rollout {
  return {
    ...identity,
    env,
    envVersion: "0.0.0",
    taskId: task.id,
    taskHash: taskHash(task),
    agents: [{ name: "agent", trainable: true, model, reward: null, rewards: {}, metrics: {} }],
    nodes: [],
    calls: [],
    state: null,
    stop: { type: "failed" },
    truncated: false,
    failure,
    timing: { startedAtMs: 0, durationMs: 0, setupMs: 0, modelMs: 0, scoringMs: 0 },
    info: {},
  };
}
