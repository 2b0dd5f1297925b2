// How far an evaluation is, as data for whoever draws it, and as one line of text. Running numbers cost the same for the first and the last rollout.
import type { Rollout } from "@hone/core";
import type { Blocked } from "@hone/env";
import { RunningEstimate } from "./statistics.ts";
import { plural } from "./text.ts";

export interface Progress {
  readonly env: string;
  readonly model: string;
  /** Results so far, those of an earlier run of the same evaluation included. */
  readonly done: number;
  /** Undefined while only reading the tasks will tell. */
  readonly total: number | undefined;
  readonly failed: number;
  /** `half` is half of the 95 % interval, null with fewer than two tasks. */
  readonly reward: { readonly mean: number; readonly half: number | null } | undefined;
  /** Sampled, since this run began. */
  readonly tokensPerSecond: number;
  readonly elapsedSeconds: number;
  readonly remainingSeconds: number | undefined;
  /** Set when this was sent because environment code held the event loop. */
  readonly blocked?: Blocked;
}

export interface MeterOptions {
  readonly env: string;
  readonly model: string;
  readonly total: number | undefined;
  readonly now: () => number;
}

export class ProgressMeter {
  readonly #options: MeterOptions;
  readonly #startedAtMs: number;
  readonly #reward = new RunningEstimate();
  /** The reward of each result by rollout place; null when it failed. */
  readonly #results = new Map<string, number | null>();
  #failed = 0;
  #finished = 0;
  #outputTokens = 0;

  constructor(options: MeterOptions) {
    this.#options = options;
    this.#startedAtMs = options.now();
  }

  /** A result of an earlier run. One that failed is to be run again, so it is not done. */
  restore(rollout: Rollout): void {
    this.#forget(rollout);
    if (rewardOf(rollout) !== null) this.#keep(rollout);
  }

  /** A result of this run. */
  finish(rollout: Rollout): void {
    this.#forget(rollout);
    this.#keep(rollout);
    this.#finished++;
    this.#outputTokens += rollout.calls.reduce((sum, { usage }) => sum + usage.outputTokens, 0);
  }

  current(blocked?: Blocked): Progress {
    const { env, model, total, now } = this.#options;
    const elapsedSeconds = Math.max(0, now() - this.#startedAtMs) / 1000;
    const done = this.#results.size;
    const left = total === undefined ? undefined : Math.max(0, total - done);
    const isTimed = left !== undefined && this.#finished > 0;
    return {
      env,
      model,
      done,
      total,
      failed: this.#failed,
      reward: this.#reward.current,
      tokensPerSecond: elapsedSeconds === 0 ? 0 : this.#outputTokens / elapsedSeconds,
      elapsedSeconds,
      remainingSeconds: isTimed ? (elapsedSeconds / this.#finished) * left : undefined,
      ...(blocked === undefined ? {} : { blocked }),
    };
  }

  #keep(rollout: Rollout): void {
    const reward = rewardOf(rollout);
    this.#results.set(placeOf(rollout), reward);
    if (reward === null) this.#failed++;
    else this.#reward.add(rollout.taskId, reward);
  }

  #forget(rollout: Rollout): void {
    const before = this.#results.get(placeOf(rollout));
    if (before === undefined) return;
    this.#results.delete(placeOf(rollout));
    if (before === null) this.#failed--;
    else this.#reward.remove(rollout.taskId, before);
  }
}

function placeOf({ group, index }: Rollout): string {
  return `${group}#${index}`;
}

function rewardOf({ failure, agents }: Rollout): number | null {
  return failure === undefined ? (agents[0]?.reward ?? null) : null;
}

/** "42/60 rollouts · reward 0.63 ± 0.11 · 2 failed · 312 tok/s · 12 s left" */
export function renderProgress(progress: Progress): string {
  const { done, total, reward, failed, tokensPerSecond, remainingSeconds } = progress;
  const parts = [total === undefined ? plural(done, "rollout") : `${done}/${total} rollouts`];
  if (reward !== undefined) {
    parts.push(`reward ${reward.mean.toFixed(2)}${reward.half === null ? "" : ` ± ${reward.half.toFixed(2)}`}`);
  }
  if (failed > 0) parts.push(`${failed} failed`);
  if (tokensPerSecond > 0) parts.push(`${Math.round(tokensPerSecond)} tok/s`);
  if (remainingSeconds !== undefined && remainingSeconds > 0) parts.push(`${renderSeconds(remainingSeconds)} left`);
  if (progress.blocked !== undefined) parts.push(renderBlocked(progress.blocked));
  return parts.join(" · ");
}

function renderBlocked({ envs, where, durationMs }: Blocked): string {
  return `${envs.join(", ")} held the event loop for ${Math.round(durationMs)} ms in ${where.join(", ")}`;
}

/** "12 s", "3 min", "2 h 5 min". */
export function renderSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
