// Measure: an environment on a model. Tasks are read lazily, rollouts run side by side, results are written as they are final.
// The numbers do not depend on concurrency, on the order of arrival, or on how often the evaluation was killed and resumed.
import { setMaxListeners } from "node:events";
import type { Rollout } from "@hone/core";
import { type Blocked, EventLoopWatchdog, ownGold } from "@hone/env";
import type { Evaluation } from "./evaluation.ts";
import { guardEnvironment } from "./failed.ts";
import { type EvaluateOptions, groupOf, type Plan, planEvaluation } from "./plan.ts";
import { forEachConcurrent } from "./pool.ts";
import { ProgressMeter } from "./progress.ts";
import { resourcesOf } from "./resources.ts";
import { openResults, type Results } from "./results.ts";
import { type Attempt, GroupRun, type RunContext } from "./run-group.ts";
import { settingsOf } from "./settings.ts";
import { Summary } from "./summary.ts";

export async function evaluate(options: EvaluateOptions): Promise<Evaluation> {
  const { environment, model, directory, now = Date.now, onProgress, onRollout, price, graceMs = 5_000 } = options;
  const plan = planEvaluation(options);
  const summary = new Summary({
    env: plan.env,
    envVersion: plan.version,
    model: model.name,
    passThreshold: plan.passThreshold,
    ...(price === undefined ? {} : { price }),
  });
  const meter = new ProgressMeter({ env: plan.env, model: model.name, total: plan.total, now });
  const restore = (rollout: Rollout): void => {
    summary.add(rollout);
    meter.restore(rollout);
  };
  const settings = settingsOf(plan, options);
  const { resume = false, goldOf = ownGold(environment) } = options;
  const results = await openResults({ directory, resume, settings, goldOf, now, restore });
  const report = (blocked: Blocked): void => {
    results.event("event-loop-block", { ...blocked, envs: [...blocked.envs], where: [...blocked.where] });
    onProgress?.(meter.current(blocked));
  };
  using watchdog = new EventLoopWatchdog({ report });
  // A disk that is full stops everything, not only what met it.
  const trouble = new AbortController();
  const signal = AbortSignal.any([trouble.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  // Every rollout listens to it: many listeners are no leak here.
  setMaxListeners(0, signal);
  const context: RunContext = {
    plan,
    environment: guardEnvironment(environment, plan, now),
    resources: resourcesOf(options, watchdog),
    settings: { ...options.settings, name: plan.env, version: plan.version },
    retry: options.retry ?? { attempts: 1 },
    results,
    onResult: (rollout, isOld) => {
      summary.add(rollout);
      if (isOld) meter.restore(rollout);
      else meter.finish(rollout);
      onRollout?.(rollout);
      onProgress?.(meter.current());
    },
    signal,
  };
  const work = async ({ group, ...attempt }: Job): Promise<boolean> => {
    try {
      return await group.run(attempt);
    } catch (error) {
      trouble.abort(error);
      throw error;
    }
  };
  try {
    const isComplete = await forEachConcurrent(jobs(plan, results, context), work, {
      limit: plan.concurrency,
      graceMs,
      signal,
    });
    const evaluation = summary.evaluation({
      directory: directory ?? null,
      interrupted: !isComplete,
      notes: results.notes,
    });
    await results.finish(evaluation);
    return evaluation;
  } catch (error) {
    await results.abandon();
    throw error;
  }
}

interface Job extends Attempt {
  readonly group: GroupRun;
}

/** What is still to be run, in the order of the tasks. */
async function* jobs(plan: Plan, results: Results, context: RunContext): AsyncGenerator<Job> {
  for await (const task of plan.tasks) {
    const recorded = results.addTask(task);
    if (recorded === undefined) continue;
    const attempts = results.saved.missing(groupOf(plan.env, task.id));
    const group = new GroupRun(context, task, attempts.length, recorded);
    for (const attempt of attempts) yield { group, ...attempt };
  }
}
