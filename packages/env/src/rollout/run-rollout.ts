// Task → rollout → reward, for one task. Order: sandbox, state, prompt, turns, rewards, clean-up. Clean-up runs on every way out;
// a failure is data with the boundary it crossed; only rollouts that did not fail are scored.
import {
  boundary,
  createRandom,
  type Limits,
  type Message,
  type Rollout,
  type RolloutRequest,
  type Sandbox,
  type Stop,
  toFailure,
} from "@hone/core";
import { scoreRollout, type Scores } from "../reward/score.ts";
import { abortable, DeadlineReached, withDeadline } from "./abort.ts";
import { breathe } from "./breathe.ts";
import { finish, type Outcome, replyOf, type Run } from "./finish.ts";
import { chat } from "./harness.ts";
import { mergeLimits } from "./limits.ts";
import type { Program } from "./program.ts";
import { RolloutRecord } from "./record.ts";
import { RolloutSession } from "./session.ts";

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
    leases: [],
    isOver: false,
    toolset: undefined,
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
    const freshSandbox = async (): Promise<Sandbox> => {
      const lease = await boundary("sandbox", () => resources.sandboxes.open(spec, { signal: request.signal }));
      run.leases.push(lease);
      if (run.isOver) await closeAll(run); // it opened after the rollout had been given up
      return lease.sandbox;
    };
    run.scope = { ...run.scope, freshSandbox, sandbox: await freshSandbox() };
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
  if (options.toolset !== undefined) {
    const { toolset } = options;
    run.toolset = await boundary("tool", () => toolset(run.scope as never));
    run.leases.push(run.toolset);
    if (run.isOver) await closeAll(run);
  }
  const prompt = await boundary("environment", () => options.prompt({ task }));
  const system = settings?.system ?? options.system;
  const opening: Message[] = system === undefined ? [] : [{ role: "system", content: system }];
  if (typeof prompt === "string") opening.push({ role: "user", content: prompt });
  else opening.push(...prompt.filter((message) => system === undefined || message.role !== "system"));
  run.setupMs = performance.now() - started;
  const { toolset, scope } = run;
  const session = new RolloutSession({ program, request, record, prompt: opening, limits, scope, toolset, signal });
  return boundary("environment", () => (resources.harness ?? options.harness ?? chat).run(session, { signal }));
}

async function reward(run: Run, stop: Stop): Promise<Scores> {
  const { program, request } = run;
  await breathe();
  const started = performance.now();
  const rollout = finish(run, { stop }, undefined);
  const { reply, messages } = replyOf(rollout);
  const { task, random, model, state, sandbox, freshSandbox } = run.scope;
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
    ...(sandbox === undefined ? {} : { sandbox, freshSandbox }),
  };
  const { watchdog } = request.resources;
  const { rewards, cache } = program;
  const scores = await abortable(scoreRollout({ env: rollout.env, rewards, scope, cache, watchdog }), signal);
  run.scoringMs = performance.now() - started;
  return scores;
}

/** Clean-up gets a signal that is not aborted: it must run after a cancel too. Its own failure is noted, not counted against the rollout. */
async function cleanUp(run: Run): Promise<string | undefined> {
  const { cleanup } = run.program.options;
  const problems: string[] = [];
  run.isOver = true;
  if (cleanup !== undefined) {
    try {
      await cleanup({ ...run.scope, signal: new AbortController().signal } as never);
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  problems.push(...(await closeAll(run)));
  return problems.length === 0 ? undefined : problems.join("; ");
}

async function closeAll({ leases }: Run): Promise<string[]> {
  const closed = await Promise.allSettled(leases.splice(0).map((lease) => lease[Symbol.asyncDispose]()));
  return closed.flatMap((result) => (result.status === "rejected" ? [messageOf(result.reason)] : []));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
