// What happens between two updates, seen from outside: every environment of a run is wrapped, and its rollouts are counted as they end.
import type { Environment, Failure, Rollout } from "@hone/core";

export interface Tally {
  readonly finished: number;
  readonly failed: number;
}

export const nothing: Tally = { finished: 0, failed: 0 };

export class RolloutWatch {
  /** Told of the first failure of each kind. */
  readonly #onFailure: (env: string, failure: Failure) => void;
  readonly #kinds = new Set<string>();
  #tally = nothing;

  constructor(onFailure: (env: string, failure: Failure) => void) {
    this.#onFailure = onFailure;
  }

  /** Since the run, or this life of it, began. */
  get tally(): Tally {
    return this.#tally;
  }

  watch(name: string, environment: Environment): Environment {
    return {
      kind: "hone/environment",
      info: environment.info,
      tasks: (split) => environment.tasks(split),
      score: (request) => environment.score(request),
      rollout: async (request) => {
        const rollout = await environment.rollout(request);
        this.#end(name, rollout);
        return rollout;
      },
    };
  }

  #end(env: string, { failure, stop }: Rollout): void {
    if (stop.type === "cancelled") return;
    this.#tally = {
      finished: this.#tally.finished + 1,
      failed: this.#tally.failed + (failure === undefined ? 0 : 1),
    };
    if (failure === undefined) return;
    const kind = `${env} ${failure.boundary} ${failure.code}`;
    if (this.#kinds.has(kind)) return;
    this.#kinds.add(kind);
    this.#onFailure(env, failure);
  }
}
