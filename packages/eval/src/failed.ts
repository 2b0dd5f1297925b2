// What went wrong outside of a rollout becomes a failed rollout: the environment threw, a group could not be compared, data could not be written.
import { type Environment, HoneError, type Rollout, type RolloutRequest, taskHash, toFailure } from "@hone/core";
import { attemptId, type Plan } from "./plan.ts";
import { withMembers } from "./with-members.ts";

/** A finished rollout that turned out to be no result. Its state and info may be what went wrong, so they go. */
export function failedRollout(rollout: Rollout, error: unknown): Rollout {
  return {
    ...rollout,
    agents: rollout.agents.map((agent) => ({ ...agent, reward: null })),
    state: null,
    info: {},
    failure: toFailure(error, "environment"),
  };
}

/** A reward that compares threw: the conversation stands, the reward does not. */
export function uncomparedRollout(rollout: Rollout, error: unknown): Rollout {
  const agents = rollout.agents.map((agent) => ({ ...agent, reward: null }));
  return { ...rollout, agents, failure: toFailure(error, "reward") };
}

/** The environment, except that what it throws is a failed rollout (so that retry policies see it) and that each attempt has the id its number gives it. */
export function guardEnvironment(environment: Environment, plan: Plan, now: () => number): Environment {
  return withMembers(environment, {
    rollout: async (asked) => {
      const request: RolloutRequest = { ...asked, identity: { ...asked.identity, id: attemptId(asked.identity) } };
      const startedAtMs = now();
      const timing = (): ThrowTiming => ({ startedAtMs, durationMs: Math.max(0, now() - startedAtMs) });
      try {
        const rollout = await environment.rollout(request);
        if (rollout.stop.type !== "cancelled" || request.signal.aborted) return rollout;
        const error = new HoneError(`${plan.env} cancelled a rollout by itself.`, { code: "cancelled" });
        return rolloutOfThrow(request, error, plan, timing());
      } catch (error) {
        if (request.signal.aborted) throw error;
        return rolloutOfThrow(request, error, plan, timing());
      }
    },
  });
}

interface ThrowTiming {
  readonly startedAtMs: number;
  readonly durationMs: number;
}

/** Where there is no rollout at all: a worker that died, a bug outside of every boundary. */
function rolloutOfThrow(request: RolloutRequest, error: unknown, plan: Plan, timing: ThrowTiming): Rollout {
  const { task, identity, resources } = request;
  return {
    ...identity,
    env: plan.env,
    envVersion: plan.version,
    taskId: task.id,
    taskHash: taskHash(task),
    agents: [{ name: "agent", trainable: true, model: resources.model.name, reward: null, rewards: {}, metrics: {} }],
    nodes: [],
    calls: [],
    state: null,
    stop: { type: "failed" },
    truncated: false,
    failure: toFailure(error, "environment"),
    timing: { ...timing, setupMs: 0, modelMs: 0, scoringMs: 0 },
    info: {},
  };
}
