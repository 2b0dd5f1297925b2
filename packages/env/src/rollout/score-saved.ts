// Rewards on finished rollouts: group rewards when a group is complete, or every reward again on saved ones. No model under test, no sandbox:
// a reward that needs the sandbox keeps the value it had.
import { createRandom, HoneError, type JsonObject, type Rollout, type ScoreRequest } from "@hone/core";
import { isGroupReward, scoreGroup, scoreRollout, type Scores, totalReward } from "../reward/score.ts";
import { replyOf } from "./finish.ts";
import { automaticMetrics } from "./metrics.ts";
import type { Program } from "./program.ts";

export async function scoreSaved(program: Program, request: ScoreRequest): Promise<readonly Rollout[]> {
  const rescored =
    request.which === "all"
      ? await Promise.all(request.rollouts.map((rollout) => rescore(program, request, rollout)))
      : request.rollouts;
  if (!program.rewards.some(({ reward }) => isGroupReward(reward))) return rescored;
  const finished = rescored.filter((rollout) => rollout.failure === undefined && canScore(rollout));
  const scopes = finished.map((rollout) => scopeOf(request, rollout));
  const { watchdog } = request.resources;
  const scores = await scoreGroup({ env: program.options.name, rewards: program.rewards, scopes, watchdog });
  return rescored.map((rollout) => {
    const own = scores[finished.indexOf(rollout)];
    return own === undefined ? rollout : withScores(rollout, { ...own, judges: {} }, "add");
  });
}

/** Cancelled and broken-off rollouts have nothing to score; one whose reward failed has. */
function canScore({ stop }: Rollout): boolean {
  return stop.type !== "failed" && stop.type !== "cancelled";
}

async function rescore(program: Program, request: ScoreRequest, rollout: Rollout): Promise<Rollout> {
  if (!canScore(rollout)) return rollout;
  const [agent] = rollout.agents;
  const saved: Scores = { rewards: agent?.rewards ?? {}, metrics: agent?.metrics ?? {}, judges: {} };
  const scores = await scoreRollout({
    env: rollout.env,
    rewards: program.rewards,
    scope: scopeOf(request, rollout) as never,
    cache: program.cache,
    watchdog: request.resources.watchdog,
    saved,
  });
  const { failure: _failure, ...rest } = rollout;
  return withScores(rest, scores, "replace", program);
}

function scopeOf({ task, resources, signal }: ScoreRequest, rollout: Rollout): object {
  return {
    task,
    random: createRandom(rollout.seed),
    model: resources.models,
    state: rollout.state,
    signal,
    ...replyOf(rollout),
    rollout,
    freshSandbox: () => Promise.reject(new HoneError("A saved rollout has no sandbox.", { code: "no-sandbox" })),
    get sandbox(): never {
      throw new HoneError("The sandbox of this rollout is gone.", { code: "no-sandbox" });
    },
  };
}

function withScores(rollout: Rollout, scores: Scores, how: "add" | "replace", program?: Program): Rollout {
  const [main, ...others] = rollout.agents;
  if (main === undefined) return rollout;
  const counted = program === undefined ? {} : automaticMetrics(rollout.nodes, rollout.calls, program.toolNames);
  const rewards = how === "add" ? { ...main.rewards, ...scores.rewards } : scores.rewards;
  const metrics = how === "add" ? { ...main.metrics, ...scores.metrics } : { ...counted, ...scores.metrics };
  const scored = { ...main, rewards, metrics, reward: totalReward(rewards) };
  const judges: JsonObject = Object.keys(scores.judges).length === 0 ? {} : { judges: scores.judges };
  return {
    ...rollout,
    agents: [scored, ...others.map((other) => ({ ...other, rewards, metrics, reward: scored.reward }))],
    info: { ...rollout.info, ...judges },
  };
}
