// One task: its rollouts, and the rewards that compare them. A rollout whose rewards are all there is written when it ends. One that waits
// for a comparison is written with its whole group, once compared: until then it is no result, and a kill or an interrupt runs the group again.
// On resume new rollouts are compared together with the group's saved ones, whose rows are superseded where their scores change.
import type { Environment, Resources, Rollout, RolloutSettings, Task } from "@hone/core";
import { type RetryPolicy, rolloutWithRetry } from "@hone/env";
import { uncomparedRollout } from "./failed.ts";
import { groupOf, identityOf, type Plan } from "./plan.ts";
import type { Results } from "./results.ts";

export interface RunContext {
  readonly plan: Plan;
  /** Guarded: it throws only when cancelled. */
  readonly environment: Environment;
  readonly resources: Resources;
  readonly settings: RolloutSettings;
  readonly retry: RetryPolicy;
  readonly results: Results;
  /** Told of every row that was written; `isOld` when it supersedes one of an earlier run without a new attempt. */
  readonly onResult: (rollout: Rollout, isOld: boolean) => void;
  readonly signal: AbortSignal;
}

export interface Attempt {
  readonly index: number;
  readonly attempt: number;
}

export class GroupRun {
  readonly #context: RunContext;
  readonly #task: Task;
  /** Resolves when the task is on disk. */
  readonly #recorded: Promise<void>;
  readonly #waiting: Rollout[] = [];
  #left: number;

  constructor(context: RunContext, task: Task, attempts: number, recorded: Promise<void>) {
    this.#context = context;
    this.#task = task;
    this.#recorded = recorded;
    this.#left = attempts;
    // Awaited before each row is written; until then its failure is nobody's surprise.
    recorded.catch(() => undefined);
  }

  /** False when it was cancelled: it then counts as never begun. */
  async run(attempt: Attempt): Promise<boolean> {
    const rollout = await this.#roll(attempt);
    if (rollout === undefined) return false;
    if (isWaiting(rollout, this.#context.environment)) this.#waiting.push(rollout);
    else await this.#write(rollout, false);
    this.#left--;
    return this.#left > 0 || this.#waiting.length === 0 || this.#compare();
  }

  async #roll({ index, attempt }: Attempt): Promise<Rollout | undefined> {
    const { plan, environment, resources, settings, retry, results, signal } = this.#context;
    const identity = identityOf({ env: plan.env, task: this.#task.id, index, attempt }, plan.seed);
    const request = { task: this.#task, identity, resources, settings, signal };
    try {
      const onRetry = ({ id, failure }: Rollout): void => {
        results.event("rollout-retry", { rollout: id, code: failure?.code ?? "", message: failure?.message ?? "" });
      };
      const rollout = await rolloutWithRetry(environment, request, retry, { onRetry });
      return rollout.stop.type === "cancelled" ? undefined : rollout;
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  async #compare(): Promise<boolean> {
    const { environment, resources, results, plan, signal } = this.#context;
    const saved = await results.saved.takeGroup(groupOf(plan.env, this.#task.id));
    const rollouts = [...saved, ...this.#waiting].sort((a, b) => a.index - b.index);
    let compared: readonly Rollout[];
    try {
      compared = await environment.score({ task: this.#task, rollouts, resources, which: "group", signal });
    } catch (error) {
      if (signal.aborted) return false;
      compared = this.#waiting.map((rollout) => uncomparedRollout(rollout, error));
    }
    const before = new Map(saved.map((rollout) => [rollout.index, JSON.stringify(rollout.agents)]));
    await Promise.all(
      compared.map(async (rollout) => {
        const scores = before.get(rollout.index);
        if (scores !== JSON.stringify(rollout.agents)) await this.#write(rollout, scores !== undefined);
      }),
    );
    return true;
  }

  async #write(rollout: Rollout, isOld: boolean): Promise<void> {
    await this.#recorded;
    const written = await this.#context.results.write(rollout);
    if (written !== undefined) this.#context.onResult(written, isOld);
  }
}

/** A reward that the environment declares and a scored rollout lacks can only be one that compares. */
function isWaiting({ failure, agents }: Rollout, { info }: Environment): boolean {
  const [agent] = agents;
  if (failure !== undefined || agent === undefined) return false;
  return (
    info.comparesGroups &&
    Object.keys(info.rewards).some((name) => !(name in agent.rewards) && !(name in agent.metrics))
  );
}
