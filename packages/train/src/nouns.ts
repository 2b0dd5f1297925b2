// The nouns of training beyond the core's: what is dispatched, and what comes back.
import type { Environment, GroupId, Harness, Json, Rollout, RolloutSettings, Sampling, Task } from "@hone/core";
import type { GoldOf } from "@hone/env";

/** One environment of a run, as configured. */
export interface TrainEnvironment {
  /** Unique in the run; what metrics and files use. */
  readonly name: string;
  readonly environment: Environment;
  /** Kept beside each task that was used, and seen by no model. The environment's own `gold` unless given. */
  readonly goldOf?: GoldOf;
  /** Share of the groups, relative to the other environments. */
  readonly ratio: number;
  readonly groupSize: number;
  readonly sampling: Sampling;
  readonly settings: RolloutSettings;
  readonly harness?: Harness;
  readonly maxTasks?: number;
}

/** A place in the order of dispatch. The same run gives the same tickets, whatever finishes first. */
export interface Ticket {
  readonly number: number;
  readonly env: string;
  readonly task: Task;
  readonly group: GroupId;
  /** How often the environment's tasks had been gone through before. */
  readonly epoch: number;
}

/** Every rollout of a ticket, compared. Failed ones are not among `rollouts`. */
export interface FinishedGroup {
  readonly ticket: Ticket;
  readonly rollouts: readonly Rollout[];
  readonly failed: readonly Rollout[];
  /** Attempts that others took the place of: retried ones, and whole groups that were run again. */
  readonly lost: readonly Rollout[];
  /** Fewer finished than can be compared. */
  readonly isShort: boolean;
  /** 0 at first; counts how often the whole group was run again. */
  readonly attempt: number;
  /** The policy that was the latest when the group was dispatched. */
  readonly policyVersion: number;
}

/** What became of a group, as the ledger says it. */
export type Verdict = "trained" | "no_signal" | "stale" | "failed";

/** State that a part of the run leaves in a checkpoint. */
export interface Resumable {
  state(): Json;
  restore(state: Json): Promise<void>;
}
