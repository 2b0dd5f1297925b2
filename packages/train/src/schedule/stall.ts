// Says which part holds a run up. Silence is the time since something useful arrived; the first report comes after `afterMs` of it, each further one
// after twice the silence of the one before, so that a long wait does not fill the log.
import type { EnginePressure } from "@hone/core";
import type { Activity, Doing, Part, RolloutActivity } from "./activity.ts";

export interface Stall {
  /** "scores": logprobs of a reference or teacher; "update": the engine's update. */
  readonly part: Part | "engine queue" | "scores" | "update";
  /** The environment most of those that wait belong to; none while no rollouts are waited for. */
  readonly env?: string;
  readonly seconds: number;
  /** Rollouts by environment and by what they wait for: `{ search: { "tool search": 12, "a place": 4 } }`. */
  readonly waiting: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly message: string;
}

export interface StallOptions {
  readonly activity: Activity;
  readonly pressure: () => EnginePressure;
  readonly afterMs: number;
  readonly report: (stall: Stall) => void;
  readonly now: () => number;
}

/** What the run waits for; undefined while nothing is owed. */
type Waiting = "rollouts" | "scores" | "update" | undefined;

export class StallWatch {
  readonly #options: StallOptions;
  #waiting: Waiting;
  #sinceMs: number;
  #dueMs: number;

  constructor(options: StallOptions) {
    this.#options = options;
    this.#sinceMs = options.now();
    this.#dueMs = options.afterMs;
  }

  waitFor(what: Waiting): void {
    this.#waiting = what;
    this.arrived();
  }

  /** Something useful: a rollout that did not fail. */
  arrived(): void {
    this.#sinceMs = this.#options.now();
    this.#dueMs = this.#options.afterMs;
  }

  /** To be called now and then. */
  look(): void {
    const silentMs = this.#options.now() - this.#sinceMs;
    if (this.#waiting === undefined || silentMs < this.#dueMs) return;
    this.#dueMs = 2 * silentMs;
    this.#options.report(this.#stall(this.#waiting, silentMs));
  }

  #stall(what: NonNullable<Waiting>, silentMs: number): Stall {
    const { activity, now, pressure } = this.#options;
    const seconds = Math.round(silentMs / 100) / 10;
    const waiting = counted(activity.rollouts);
    if (what !== "rollouts") {
      const message = `${what === "update" ? "The update" : "Scoring by the reference or teacher"} has not ended after ${seconds} s.`;
      return { part: what, seconds, waiting, message };
    }
    const held = culprit(activity.rollouts);
    if (held === undefined) {
      const message = `Nothing has arrived for ${seconds} s and no rollout is under way: the tasks do not come.`;
      return { part: "environment", seconds, waiting, message };
    }
    const { env, doing, count, total } = held;
    const { queued, running, capacity } = pressure();
    const isQueued = doing.part === "model" && queued > 0;
    const where = isQueued
      ? `in the engine's queue (${running} running, ${queued} queued, room for ${capacity})`
      : `for ${doing.what}`;
    const longest = Math.round((now() - doing.sinceMs) / 100) / 10;
    const message = `Nothing has arrived for ${seconds} s: ${count} of ${total} rollouts of ${env} wait ${where}, the longest for ${longest} s.`;
    return { part: isQueued ? "engine queue" : doing.part, env, seconds, waiting, message };
  }
}

function counted(rollouts: Iterable<RolloutActivity>): Record<string, Record<string, number>> {
  const counts: Record<string, Record<string, number>> = {};
  for (const { env, doing } of rollouts) {
    const own = (counts[env] ??= {});
    own[doing.what] = (own[doing.what] ?? 0) + 1;
  }
  return counts;
}

interface Culprit {
  readonly env: string;
  /** The one that has waited longest. */
  readonly doing: Doing;
  readonly count: number;
  /** Of the environment's rollouts, those that wait for a place included. */
  readonly total: number;
}

/** What most rollouts wait for. Those without a place wait for the others. */
function culprit(rollouts: Iterable<RolloutActivity>): Culprit | undefined {
  const totals = new Map<string, number>();
  const found = new Map<string, Culprit>();
  for (const { env, doing } of rollouts) {
    totals.set(env, (totals.get(env) ?? 0) + 1);
    if (doing.part === "queue") continue;
    const key = JSON.stringify([env, doing.what]);
    const known = found.get(key);
    const longest = known === undefined || doing.sinceMs < known.doing.sinceMs ? doing : known.doing;
    found.set(key, { env, doing: longest, count: (known?.count ?? 0) + 1, total: 0 });
  }
  const [most] = [...found.values()].sort((a, b) => b.count - a.count || a.doing.sinceMs - b.doing.sinceMs);
  return most === undefined ? undefined : { ...most, total: totals.get(most.env) ?? 0 };
}
