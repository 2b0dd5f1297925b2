// Rollout: all attempts at one ticket's task, compared. Rollouts that a run killed before had already finished are taken as they are.
// A group that loses too many to failures is run again, a bounded number of times, and then says so; cancelling gives back what had finished.
import { HoneError, type Rollout, type RolloutId, seedFrom } from "@hone/core";
import { type RetryPolicy, rolloutWithRetry } from "@hone/env";
import type { FinishedGroup, Ticket, TrainEnvironment } from "../nouns.ts";
import type { Activity, Handed } from "./activity.ts";
import { failedRollout, guarded } from "./attempt.ts";
import { brokenRollout, checkRollout } from "./check-rollout.ts";
import type { Limiter } from "./limiter.ts";

export interface GroupRunner {
  readonly environments: ReadonlyMap<string, TrainEnvironment>;
  readonly resources: (env: TrainEnvironment, policyVersion: number) => Handed;
  readonly limiter: Limiter;
  readonly activity: Activity;
  readonly seed: number;
  readonly retry: RetryPolicy;
  /** Called with each rollout once it is final: scored, compared where its environment compares. */
  readonly record: (rollout: Rollout, ticket: Ticket) => Promise<void>;
  /** Finished in an earlier life of this run, by id. */
  readonly saved: ReadonlyMap<RolloutId, Rollout>;
  /** Before a group of which nothing came back is run again. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A group that lost too many rollouts to failures is run this often in all. */
const groupAttempts = 3;

export async function runGroup(
  runner: GroupRunner,
  ticket: Ticket,
  policyVersion: number,
  signal: AbortSignal,
): Promise<FinishedGroup> {
  const env = runner.environments.get(ticket.env);
  if (env === undefined) throw new RangeError(`The run has no environment ${ticket.env}.`);
  const lost: Rollout[] = [];
  for (let attempt = 0; ; attempt++) {
    const rollouts = await attemptGroup({ runner, env, ticket, attempt, policyVersion, lost, signal });
    const failed = rollouts.filter(({ failure }) => failure !== undefined);
    const finished = rollouts.filter(({ failure }) => failure === undefined);
    const isShort = finished.length < Math.min(2, env.groupSize);
    if (!isShort || attempt + 1 >= groupAttempts || signal.aborted)
      return { ticket, rollouts: finished, failed, lost, attempt, policyVersion, isShort };
    for (const rollout of rollouts) lost.push(rollout);
    // A server that restarts is given the time to; a mistake in an environment is not going to go away.
    if (failed.some(({ failure }) => failure?.isRetryable)) await runner.sleep(1000 * 2 ** attempt, signal);
  }
}

interface GroupAttempt {
  readonly runner: GroupRunner;
  readonly env: TrainEnvironment;
  readonly ticket: Ticket;
  readonly attempt: number;
  readonly policyVersion: number;
  /** Attempts that others took the place of, in the order they were lost. */
  readonly lost: Rollout[];
  readonly signal: AbortSignal;
}

/** Fewer than the group's size when it was cancelled. */
async function attemptGroup(at: GroupAttempt): Promise<readonly Rollout[]> {
  const { env, signal } = at;
  const indices = Array.from({ length: env.groupSize }, (_, index) => index);
  const all = await Promise.all(indices.map((index) => attemptOne(at, index)));
  const ended = all.filter((rollout) => rollout !== undefined);
  if (!env.environment.info.comparesGroups || ended.length < all.length) return ended;
  const compared = await compare(at, ended).catch((error: unknown) => {
    if (signal.aborted) return [];
    throw error;
  });
  return Promise.all(compared.map((rollout) => record(at, checkRollout(rollout))));
}

/** Undefined when it was cancelled. */
async function attemptOne(at: GroupAttempt, index: number): Promise<Rollout | undefined> {
  const { runner, env, ticket, attempt, signal } = at;
  const id = rolloutId(ticket, index, attempt);
  const known = runner.saved.get(id);
  if (known?.taskId === ticket.task.id) return known;
  const activity = runner.activity.begin(env.name);
  const retried: Rollout[] = [];
  try {
    const rollout = await runner.limiter.run(() => {
      activity.start();
      return runOne({ ...at, index, id, activity, retried });
    }, signal);
    if (rollout.stop.type === "cancelled") return undefined;
    for (const earlier of retried) at.lost.push(await record(at, earlier));
    const checked = checkRollout(rollout);
    return env.environment.info.comparesGroups ? checked : await record(at, checked);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    activity.end();
  }
}

interface OneAttempt extends GroupAttempt {
  readonly index: number;
  readonly id: RolloutId;
  readonly activity: ReturnType<Activity["begin"]>;
  readonly retried: Rollout[];
}

function runOne({ runner, env, ticket, attempt, index, id, policyVersion, activity, retried, signal }: OneAttempt) {
  const { task, group } = ticket;
  const identity = { id, group, index, attempt: 0, seed: seedFrom(runner.seed, group, index, attempt) };
  const handed = runner.resources(env, policyVersion);
  const resources = { ...activity.watched(handed), harness: env.harness, sampling: env.sampling };
  const settings = { ...env.settings, name: env.name };
  return guarded({
    activity,
    boundary: "environment",
    work: (own) =>
      rolloutWithRetry(env.environment, { task, identity, resources, settings, signal: own }, runner.retry, {
        onRetry: (failed) => retried.push(failed),
      }),
    failed: (failure, left) =>
      left === undefined
        ? brokenRollout({ env: env.name, task, identity, model: handed.model.name, failure })
        : failedRollout(left, failure),
    signal,
  });
}

/** Group rewards. When they fail, so do all rollouts they were for. */
async function compare(at: GroupAttempt, rollouts: readonly Rollout[]): Promise<readonly Rollout[]> {
  const { runner, env, ticket, policyVersion, signal } = at;
  const activity = runner.activity.begin(env.name);
  const handed = activity.watched(runner.resources(env, policyVersion));
  const resources = { ...handed, harness: env.harness, sampling: env.sampling };
  activity.start();
  try {
    return await guarded<readonly Rollout[]>({
      activity,
      boundary: "reward",
      work: async (own) => {
        const request = { task: ticket.task, rollouts, resources, which: "group", signal: own } as const;
        const compared = await activity.during("reward", "the group's rewards", () => env.environment.score(request));
        if (compared.length === rollouts.length) return compared;
        throw new HoneError(`${rollouts.length} rollouts were compared and ${compared.length} came back.`, {
          code: "bad-reward",
        });
      },
      failed: (failure) => rollouts.map((rollout) => ({ failure, ...rollout })),
      signal,
    });
  } finally {
    activity.end();
  }
}

/** What cannot be written as a row (a state with a cycle, say) is a failure of its environment. */
async function record({ runner, ticket }: GroupAttempt, rollout: Rollout): Promise<Rollout> {
  try {
    await runner.record(rollout, ticket);
    return rollout;
  } catch (error) {
    if (!HoneError.is(error) || error.code !== "bad-row") throw error;
    const { message } = error;
    const failure = { boundary: "environment", code: "bad-row", message, isRetryable: false } as const;
    const plain = { ...failedRollout(rollout, failure), state: null, info: {} };
    await runner.record(plain, ticket);
    return plain;
  }
}

function rolloutId({ group }: Ticket, index: number, attempt: number): RolloutId {
  return (attempt === 0 ? `${group}#${index}` : `${group}#${index}@${attempt}`) as RolloutId;
}
