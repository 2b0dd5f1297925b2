// Task → rollout → reward, for one task. Order: sandbox, state, prompt, turns, rewards, clean-up. Clean-up runs on every way out;
// a failure is data with the boundary it crossed; only rollouts that did not fail are scored.
import {
  type AgentResult,
  boundary,
  createRandom,
  type Failure,
  type Json,
  type JsonObject,
  type Limits,
  type Message,
  type Model,
  pathTo,
  type Random,
  type Rollout,
  type RolloutRequest,
  type Sandbox,
  type SandboxLease,
  type Stop,
  taskHash,
  toFailure,
} from "@hone/core";
import { scoreRollout, type Scores, totalReward } from "../reward/score.ts";
import { abortable, DeadlineReached, withDeadline } from "./abort.ts";
import { breathe } from "./breathe.ts";
import { chat } from "./harness.ts";
import { mergeLimits } from "./limits.ts";
import { automaticMetrics } from "./metrics.ts";
import type { Program } from "./program.ts";
import { RolloutRecord } from "./record.ts";
import { mainAgent, RolloutSession } from "./session.ts";

interface Run {
  readonly program: Program;
  readonly request: RolloutRequest;
  readonly record: RolloutRecord;
  readonly startedAtMs: number;
  readonly started: number;
  scope: RolloutScope;
  lease?: SandboxLease;
  setupMs: number;
  scoringMs: number;
}
interface RolloutScope {
  readonly task: unknown;
  readonly random: Random;
  readonly model: (name: string) => Model;
  readonly signal: AbortSignal;
  readonly state: object;
  readonly sandbox?: Sandbox;
}

export async function runRollout(program: Program, request: RolloutRequest): Promise<Rollout> {
  const limits = mergeLimits(
    { turns: program.options.maxTurns ?? (program.specs.length > 0 ? 10 : 100) },
    program.options.limits,
    request.settings?.limits,
  );
  const deadline = limits.seconds === undefined ? undefined : withDeadline(request.signal, limits.seconds);
  const signal = deadline?.signal ?? request.signal;
  const { task, identity, resources } = request;
  const run: Run = {
    program,
    request,
    record: new RolloutRecord(),
    startedAtMs: Date.now(),
    started: performance.now(),
    scope: { task, random: createRandom(identity.seed), model: resources.models, signal, state: {} },
    setupMs: 0,
    scoringMs: 0,
  };
  const outcome = await attempt(run, limits, signal, deadline?.release);
  const cleanup = await cleanUp(run);
  return finish(run, outcome, cleanup);
}

interface Outcome {
  readonly stop: Stop;
  readonly failure?: Failure;
  readonly scores?: Scores;
}

/** Turns, then rewards. Whatever goes wrong is part of the outcome. */
async function attempt(
  run: Run,
  limits: Limits,
  signal: AbortSignal,
  release: (() => void) | undefined,
): Promise<Outcome> {
  const { request } = run;
  let stop: Stop;
  try {
    stop = await abortable(converse(run, limits, signal), signal);
  } catch (error) {
    if (request.signal.aborted) return { stop: { type: "cancelled" } };
    if (!(signal.reason instanceof DeadlineReached)) {
      return { stop: { type: "failed" }, failure: toFailure(error, "environment") };
    }
    stop = { type: "limit", of: "seconds" };
  } finally {
    release?.();
  }
  try {
    return { stop, scores: await reward(run, stop) };
  } catch (error) {
    return request.signal.aborted ? { stop: { type: "cancelled" } } : { stop, failure: toFailure(error, "reward") };
  }
}

async function converse(run: Run, limits: Limits, signal: AbortSignal): Promise<Stop> {
  const { program, request, record } = run;
  const { options } = program;
  const { resources, task, settings } = request;
  const started = performance.now();
  signal.throwIfAborted();
  if (options.sandbox !== undefined) {
    const spec = options.sandbox;
    run.lease = await boundary("sandbox", () => resources.sandboxes.open(spec, { signal }));
    run.scope = { ...run.scope, sandbox: run.lease.sandbox };
  }
  if (options.state !== undefined) {
    const { state } = options;
    const work = (): unknown => state(run.scope as never);
    const env = settings?.name ?? options.name;
    const made = await boundary("environment", () =>
      resources.watchdog === undefined ? work() : resources.watchdog.call(env, "state", work),
    );
    run.scope = { ...run.scope, state: made as object };
  }
  const prompt = await boundary("environment", () => options.prompt({ task: task as never }));
  const system = settings?.system ?? options.system;
  const opening: Message[] = system === undefined ? [] : [{ role: "system", content: system }];
  if (typeof prompt === "string") opening.push({ role: "user", content: prompt });
  else opening.push(...prompt.filter((message) => system === undefined || message.role !== "system"));
  run.setupMs = performance.now() - started;
  const session = new RolloutSession({ program, request, record, prompt: opening, limits, scope: run.scope, signal });
  return boundary("environment", () => (resources.harness ?? options.harness ?? chat).run(session, { signal }));
}

async function reward(run: Run, stop: Stop): Promise<Scores> {
  const { program, request } = run;
  await breathe();
  const started = performance.now();
  const rollout = finish(run, { stop }, undefined);
  const { reply, messages } = replyOf(rollout);
  const { task, random, model, state, sandbox } = run.scope;
  const { signal } = request;
  const scope = {
    task,
    random,
    model,
    state,
    signal,
    reply,
    messages,
    rollout,
    ...(sandbox === undefined ? {} : { sandbox }),
  };
  const { watchdog } = request.resources;
  const { rewards, cache } = program;
  const scores = await abortable(scoreRollout({ env: rollout.env, rewards, scope, cache, watchdog }), signal);
  run.scoringMs = performance.now() - started;
  return scores;
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

/** Clean-up gets a signal that is not aborted: it must run after a cancel too. Its own failure is noted, not counted against the rollout. */
async function cleanUp({ program, scope, lease }: Run): Promise<string | undefined> {
  const { cleanup } = program.options;
  const problems: string[] = [];
  const note = (error: unknown): void => void problems.push(error instanceof Error ? error.message : String(error));
  if (cleanup !== undefined) {
    try {
      await cleanup({ ...scope, signal: new AbortController().signal } as never);
    } catch (error) {
      note(error);
    }
  }
  if (lease !== undefined) await lease[Symbol.asyncDispose]().then(undefined, note);
  return problems.length === 0 ? undefined : problems.join("; ");
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
function finish(run: Run, { stop, failure, scores }: Outcome, cleanup: string | undefined): Rollout {
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

function agentsOf({ program, request, record }: Run, scores: Scores | undefined): AgentResult[] {
  const metrics = automaticMetrics(record.nodes, record.calls, program.toolNames);
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
