// Rollout: all attempts at one ticket's task, compared. Rollouts that a run killed before had already finished are taken as they are.
import { type Resources, type Rollout, type RolloutId, seedFrom } from "@hone/core";
import { type RetryPolicy, rolloutWithRetry } from "@hone/env";
import type { FinishedGroup, Ticket, TrainEnvironment } from "../nouns.ts";
import type { Limiter } from "./limiter.ts";

export interface GroupRunner {
  readonly environments: ReadonlyMap<string, TrainEnvironment>;
  /** Everything but harness and sampling, which belong to the environment. */
  readonly resources: (env: TrainEnvironment, policyVersion: number) => Omit<Resources, "harness" | "sampling">;
  readonly limiter: Limiter;
  readonly seed: number;
  readonly retry: RetryPolicy;
  /** Called with each rollout once it is final: scored, compared where its environment compares. */
  readonly record: (rollout: Rollout, ticket: Ticket) => Promise<void>;
  /** Finished in an earlier life of this run, by id. */
  readonly saved: ReadonlyMap<RolloutId, Rollout>;
}

/** A group that lost too many rollouts to failures is run again this often. */
const groupAttempts = 3;

export async function runGroup(
  runner: GroupRunner,
  ticket: Ticket,
  policyVersion: number,
  signal: AbortSignal,
): Promise<FinishedGroup> {
  const env = runner.environments.get(ticket.env);
  if (env === undefined) throw new RangeError(`The run has no environment ${ticket.env}.`);
  for (let attempt = 0; ; attempt++) {
    const rollouts = await attemptGroup(runner, env, ticket, { attempt, policyVersion, signal });
    const failed = rollouts.filter((rollout) => rollout.failure !== undefined);
    const finished = rollouts.filter((rollout) => rollout.failure === undefined && rollout.stop.type !== "cancelled");
    const isEnough = finished.length >= Math.min(2, env.groupSize);
    if (isEnough || attempt + 1 >= groupAttempts || signal.aborted)
      return { ticket, rollouts: finished, failed, attempt, policyVersion };
  }
}

interface GroupAttempt {
  readonly attempt: number;
  readonly policyVersion: number;
  readonly signal: AbortSignal;
}

async function attemptGroup(
  runner: GroupRunner,
  env: TrainEnvironment,
  ticket: Ticket,
  at: GroupAttempt,
): Promise<readonly Rollout[]> {
  const { environment } = env;
  const { comparesGroups } = environment.info;
  const all = await Promise.all(
    Array.from({ length: env.groupSize }, async (_, index) => {
      const id = rolloutId(ticket, index, at.attempt);
      const known = runner.saved.get(id);
      if (known !== undefined) return known;
      const rollout = await runner.limiter.run(() => attemptOne(runner, env, ticket, { ...at, index, id }), at.signal);
      if (!comparesGroups && rollout.stop.type !== "cancelled") await runner.record(rollout, ticket);
      return rollout;
    }),
  );
  if (!comparesGroups) return all;
  const resources = { ...runner.resources(env, at.policyVersion), harness: env.harness, sampling: env.sampling };
  const compared = await environment.score({
    task: ticket.task,
    rollouts: all,
    resources,
    which: "group",
    signal: at.signal,
  });
  for (const rollout of compared) if (rollout.stop.type !== "cancelled") await runner.record(rollout, ticket);
  return compared;
}

function attemptOne(
  runner: GroupRunner,
  env: TrainEnvironment,
  { task, group }: Ticket,
  { attempt, index, id, policyVersion, signal }: GroupAttempt & { readonly index: number; readonly id: RolloutId },
): Promise<Rollout> {
  return rolloutWithRetry(
    env.environment,
    {
      task,
      identity: { id, group, index, attempt: 0, seed: seedFrom(runner.seed, group, index, attempt) },
      resources: { ...runner.resources(env, policyVersion), harness: env.harness, sampling: env.sampling },
      settings: { ...env.settings, name: env.name },
      signal,
    },
    runner.retry,
  );
}

function rolloutId({ group }: Ticket, index: number, attempt: number): RolloutId {
  return (attempt === 0 ? `${group}#${index}` : `${group}#${index}@${attempt}`) as RolloutId;
}
