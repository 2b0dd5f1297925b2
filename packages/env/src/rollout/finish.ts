// The rollout as data: what the record, the scores and the way it ended add up to.
import {
  type AgentResult,
  type Failure,
  type Json,
  type JsonObject,
  type Message,
  type Model,
  pathTo,
  type Random,
  type Rollout,
  type RolloutRequest,
  type Sandbox,
  type Stop,
  taskHash,
} from "@hone/core";
import { type Scores, totalReward } from "../reward/score.ts";
import { automaticMetrics } from "./metrics.ts";
import type { Program } from "./program.ts";
import type { Toolset } from "../tool/toolset.ts";
import type { RolloutRecord } from "./record.ts";
import { mainAgent } from "./session.ts";

/** A rollout under way. */
export interface Run {
  readonly program: Program;
  readonly request: RolloutRequest;
  readonly record: RolloutRecord;
  readonly startedAtMs: number;
  readonly started: number;
  scope: RolloutScope;
  /** Sandboxes and toolsets to close. */
  readonly leases: AsyncDisposable[];
  isOver: boolean;
  toolset: Toolset | undefined;
  setupMs: number;
  scoringMs: number;
}
/** What every function of the environment receives. */
export interface RolloutScope {
  readonly task: unknown;
  readonly random: Random;
  readonly model: (name: string) => Model;
  readonly signal: AbortSignal;
  readonly state: object;
  readonly sandbox?: Sandbox;
  readonly freshSandbox?: () => Promise<Sandbox>;
}

/** How it went. */
export interface Outcome {
  readonly stop: Stop;
  readonly failure?: Failure;
  readonly scores?: Scores;
}

/** A task is hashed once, not once per rollout of its group. */
const hashes = new WeakMap<object, string>();
function hashOf(task: object): string {
  const known = hashes.get(task);
  if (known !== undefined) return known;
  const hash = taskHash(task);
  hashes.set(task, hash);
  return hash;
}

/** Written out field by field: with spreads this was the slowest part of a rollout. */
export function finish(run: Run, { stop, failure, scores }: Outcome, cleanup: string | undefined): Rollout {
  const { program, request, record, startedAtMs, started, setupMs, scoringMs } = run;
  const { task, identity, settings } = request;
  let modelMs = 0;
  for (const call of record.calls) modelMs += call.durationMs;
  const rollout: { -readonly [Key in keyof Rollout]: Rollout[Key] } = {
    id: identity.id,
    group: identity.group,
    index: identity.index,
    attempt: identity.attempt,
    seed: identity.seed,
    env: settings?.name ?? program.options.name,
    envVersion: settings?.version ?? "0.0.0",
    taskId: task.id,
    taskHash: hashOf(task),
    agents: agentsOf(run, scores),
    nodes: record.nodes,
    calls: record.calls,
    state: run.scope.state,
    stop,
    truncated: stop.type === "limit" || record.calls.at(-1)?.finish === "length",
    timing: { startedAtMs, durationMs: performance.now() - started, setupMs, modelMs, scoringMs },
    info: infoOf(record, scores, cleanup),
  };
  if (failure !== undefined) rollout.failure = failure;
  return rollout;
}

function agentsOf({ program, request, record, toolset }: Run, scores: Scores | undefined): AgentResult[] {
  const names =
    toolset === undefined ? program.toolNames : [...program.toolNames, ...toolset.specs.map(({ name }) => name)];
  const metrics = automaticMetrics(record.nodes, record.calls, names);
  const main: AgentResult = {
    name: mainAgent,
    trainable: true,
    model: request.resources.model.name,
    reward: scores === undefined ? null : totalReward(scores.rewards),
    rewards: scores?.rewards ?? {},
    metrics: Object.assign(metrics, scores?.metrics),
  };
  const others = new Set<string>();
  for (const { sampled, agent } of record.nodes) if (sampled && agent !== mainAgent) others.add(agent);
  return others.size === 0 ? [main] : [main, ...[...others].map((name) => ({ ...main, name }))];
}

function infoOf({ restarts }: RolloutRecord, scores: Scores | undefined, cleanup: string | undefined): JsonObject {
  const info: Record<string, Json> = {};
  if (cleanup !== undefined) info["cleanup"] = cleanup;
  if (restarts.length > 0) info["restarts"] = restarts;
  if (scores !== undefined && Object.keys(scores.judges).length > 0) info["judges"] = scores.judges;
  return info;
}

/** The last reply and the conversation it ended. */
export function replyOf(rollout: Pick<Rollout, "nodes">): {
  readonly reply: string;
  readonly messages: readonly Message[];
} {
  const { nodes } = rollout;
  const message = nodes.findLast((node) => node.sampled)?.message;
  const messages =
    nodes.length === 0 ? [] : pathTo(nodes, nodes.length - 1).flatMap((index) => nodes[index]?.message ?? []);
  return { reply: message?.role === "assistant" ? message.content : "", messages };
}
