// Evaluation while a run trains: the same held-out tasks, seeds and sampling every time, so that two steps differ by the policy alone. Rows go to
// evals.jsonl; the values of each rollout go to held-out.jsonl, so that gains are paired by task and a resumed run still knows where it started.
import { join } from "node:path";
import {
  type Environment,
  type Harness,
  type Model,
  type Rollout,
  type RolloutSettings,
  type Sampling,
  type SandboxProvider,
  type Split,
} from "@hone/core";
import type { RetryPolicy } from "@hone/env";
import { evaluate, type Evaluation, evaluationRow, type Progress } from "@hone/eval";
import { type MetricRow, openAppendLog, readLog } from "@hone/store";
import { gainColumns, HeldOutRow, intervalColumns, valuesOf } from "./held-out-values.ts";

export interface HeldOutEnvironment {
  readonly name: string;
  readonly environment: Environment;
  readonly harness?: Harness;
  readonly settings: RolloutSettings;
  readonly sampling: Sampling;
  readonly split: Split;
  readonly numTasks: number;
  readonly groupSize: number;
}

export interface HeldOutOptions {
  /** Of the run. */
  readonly directory: string;
  readonly environments: readonly HeldOutEnvironment[];
  readonly models: (name: string) => Model;
  readonly sandboxes: SandboxProvider;
  readonly seed: number;
  readonly concurrency: number;
  readonly retry: RetryPolicy;
  readonly onProgress?: (step: number, progress: Progress) => void;
  /** What kept an evaluation from being made. The run goes on. */
  readonly onNotice: (notice: string) => void;
  /** Ends an evaluation early; it then leaves no row. */
  readonly stop: AbortSignal;
}

export class HeldOut {
  readonly #options: HeldOutOptions;
  readonly #path: string;

  constructor(options: HeldOutOptions) {
    this.#options = options;
    this.#path = join(options.directory, "held-out.jsonl");
  }

  async run(step: number, policy: Model, signal: AbortSignal): Promise<readonly MetricRow[]> {
    const rows: MetricRow[] = [];
    for (const env of this.#options.environments) {
      try {
        const row = await this.#evaluate(env, step, policy, signal);
        if (row === undefined) return rows;
        rows.push(row);
      } catch (error) {
        signal.throwIfAborted();
        const reason = error instanceof Error ? error.message : String(error);
        this.#options.onNotice(`No evaluation of ${env.name} at step ${step}: ${reason}`);
      }
    }
    return rows;
  }

  /** Undefined when it was stopped. */
  async #evaluate(
    env: HeldOutEnvironment,
    step: number,
    policy: Model,
    signal: AbortSignal,
  ): Promise<MetricRow | undefined> {
    const { models, sandboxes, seed, concurrency, retry, onProgress, stop } = this.#options;
    const rollouts: Rollout[] = [];
    const { name, environment, harness, settings, sampling, split, numTasks, groupSize } = env;
    const evaluation = await evaluate({
      environment,
      model: policy,
      models,
      sandboxes,
      ...(harness === undefined ? {} : { harness }),
      settings: { ...settings, name },
      split,
      numTasks,
      groupSize,
      sampling,
      concurrency,
      seed,
      retry,
      onRollout: (rollout) => void rollouts.push(rollout),
      ...(onProgress === undefined ? {} : { onProgress: (progress) => onProgress(step, progress) }),
      signal: AbortSignal.any([signal, stop]),
    });
    if (evaluation.interrupted) return undefined;
    this.#notice(evaluation);
    const own = Object.keys(environment.info.rewards);
    const values: HeldOutRow = { step, env: name, values: valuesOf(rollouts, own) };
    const before = step === 0 ? undefined : await this.#first(name);
    await this.#append(values);
    return {
      ...evaluationRow(evaluation, step),
      ...intervalColumns(evaluation, own),
      ...(before === undefined ? {} : gainColumns(before, values, evaluation)),
    };
  }

  #notice({ env, rollouts, failed, errors: [error] }: Evaluation): void {
    const { onNotice } = this.#options;
    if (rollouts === 0) onNotice(`${env} has no held-out tasks: nothing is measured on it.`);
    else if (failed > 0) {
      onNotice(`${failed} of ${rollouts} held-out rollouts of ${env} failed: ${error?.boundary}: ${error?.message}`);
    }
  }

  /** The values before the first update; the last such row counts, should a run have been killed in between. */
  async #first(env: string): Promise<HeldOutRow | undefined> {
    let found: HeldOutRow | undefined;
    for await (const { value } of readLog(this.#path, HeldOutRow, { onBadRow: () => undefined })) {
      if (value.step === 0 && value.env === env) found = value;
    }
    return found;
  }

  async #append(row: HeldOutRow): Promise<void> {
    const log = await openAppendLog(this.#path);
    try {
      await log.append(JSON.stringify(row));
    } finally {
      await log.close();
    }
  }
}
