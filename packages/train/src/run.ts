// One training run while it lasts: the parts that `train` moves through, opened fresh or from the last checkpoint.
import { type CheckpointRef, HoneError, type Model, type Trainer } from "@hone/core";
import {
  clearStop,
  createRun,
  isStopRequested,
  type MetricRow,
  openRolloutWriter,
  resumeRun,
  type RolloutWriter,
  type RunWriter,
} from "@hone/store";
import type { TrainOptions, TrainResult } from "./options.ts";
import { type Batch, byLoss, finishBatch } from "./sample/batch.ts";
import { collectSamples } from "./sample/collect.ts";
import type { AlgorithmStates } from "./sample/credit.ts";
import { type ScoreAnswer, scoreRequests, withScores } from "./sample/scores.ts";
import { type Collected, Collector } from "./schedule/collect.ts";
import { type Curriculum, openCurriculum } from "./schedule/curriculum.ts";
import { Limiter, limitFor } from "./schedule/limiter.ts";
import { runGroup } from "./schedule/run-group.ts";
import { Committer } from "./update/commit.ts";
import { learningRateAt } from "./update/learning-rate.ts";
import { collectedMetrics } from "./update/metrics.ts";
import { readResumed, type Resumed, supersede } from "./update/resume.ts";
import { type UpdateResult, updatePolicy } from "./update/update-policy.ts";

const noRollouts: Resumed = { step: 0, from: undefined, state: undefined, rollouts: new Map() };

export class TrainRun {
  readonly startStep: number;
  readonly #options: TrainOptions;
  readonly #writer: RunWriter;
  readonly #trainer: Trainer;
  readonly #curriculum: Curriculum;
  readonly #collector: Collector;
  readonly #committer: Committer;
  readonly #limiter: Limiter;
  #algorithms: AlgorithmStates;
  #rollouts: RolloutWriter | undefined;

  constructor(options: TrainOptions, writer: RunWriter, trainer: Trainer, curriculum: Curriculum, resumed: Resumed) {
    this.#options = options;
    this.#writer = writer;
    this.#trainer = trainer;
    this.#curriculum = curriculum;
    this.startStep = resumed.step;
    this.#algorithms = resumed.state?.algorithms ?? {};
    this.#limiter = new Limiter(options.concurrency);
    this.#committer = new Committer(writer, trainer, options.checkpoint);
    const runner = {
      environments: new Map(options.environments.map((env) => [env.name, env])),
      resources: (_env: unknown, policyVersion: number) => ({
        model: this.#policy(options.lead === 0 ? { version: policyVersion } : "latest"),
        models: options.models,
        sandboxes: options.sandboxes,
      }),
      limiter: this.#limiter,
      seed: options.seed,
      retry: options.retry,
      record: async (rollout: Parameters<RolloutWriter["write"]>[0]) => this.#rollouts?.write(rollout),
      saved: resumed.rollouts,
    };
    this.#collector = new Collector({
      ...options,
      ...options.difficulty,
      curriculum,
      run: (ticket, version) => runGroup(runner, ticket, version, options.signal),
    });
  }

  async restore({ state }: Resumed): Promise<void> {
    if (state === undefined) return;
    await this.#curriculum.restore(state.curriculum);
    await this.#collector.restore(state.collector);
  }

  /** Task → rollout → reward: the groups of this update. */
  async collect(step: number): Promise<Collected> {
    await this.#rollouts?.close();
    this.#rollouts = await openRolloutWriter(this.#options.directory, step);
    this.#limiter.limit = limitFor(this.#options.engine.pressure(), this.#limiter.limit);
    return this.#collector.take(step);
  }

  /** Sample: what is trained on, with its credit. */
  async toBatch({ judged }: Collected, step: number): Promise<Batch> {
    const { treatmentOf, truncated, seqLen } = this.#options;
    const groups = judged.flatMap(({ group, verdict }) => (verdict === "trained" ? [group] : []));
    const collected = collectSamples(groups, { truncated, seqLen });
    const requests = scoreRequests(collected, (env) => treatmentOf(env).algorithm);
    const answers: ScoreAnswer[] = [];
    for (const request of requests) {
      const sampler = request.need === "teacher" ? this.#options.teacher : this.#options.engine.sampler("base");
      if (sampler === undefined)
        throw new HoneError(`${request.env} needs a teacher, and the run has none.`, { code: "config" });
      const { temperature, samples } = request;
      const logprobs = await sampler.score(
        samples.map(({ tokens }) => tokens),
        { temperature, signal: this.#options.signal },
      );
      answers.push({ request, logprobs });
    }
    return finishBatch(withScores(collected, answers), {
      treatmentOf,
      states: this.#algorithms,
      policyVersion: step - 1,
    });
  }

  /** Update: policy `step - 1` becomes policy `step`. */
  async update({ samples }: Batch, step: number): Promise<UpdateResult> {
    const { optimizer, schedule, maxSteps, treatmentOf } = this.#options;
    const learningRate = learningRateAt(step, optimizer.learningRate, maxSteps, schedule);
    return updatePolicy(this.#trainer, byLoss(samples, treatmentOf), { ...optimizer, learningRate });
  }

  async commit(
    step: number,
    { judged }: Collected,
    batch: Batch,
    { metrics }: UpdateResult,
    isLast: boolean,
  ): Promise<void> {
    const row: MetricRow = { step, ...collectedMetrics(judged), ...batch.metrics, ...metrics };
    this.#algorithms = batch.states;
    await this.#rollouts?.flush();
    const state = {
      curriculum: this.#curriculum.state(),
      collector: this.#collector.state(),
      algorithms: batch.states,
    };
    await this.#committer.commit({ step, judged, samples: batch.samples, row, isLast }, state);
    this.#options.onEvent?.({ type: "update-end", row });
  }

  /** The batch is spent without having changed the policy; the ledger says why. */
  async reject(step: number, { judged }: Collected, { code, message }: HoneError): Promise<void> {
    const outcome = code === "no-signal" ? "no_signal" : "failed";
    await this.#committer.book(
      step,
      judged.map((one) => (one.verdict === "trained" ? { ...one, verdict: outcome } : one)),
    );
    await this.note("update-reject", { step, reason: message });
    this.#options.onEvent?.({ type: "update-reject", step, reason: message });
  }

  async evaluate(step: number, isLast: boolean): Promise<void> {
    const { evaluation, signal } = this.#options;
    if (evaluation === undefined || signal.aborted || (step % evaluation.interval !== 0 && !isLast)) return;
    const rows = await evaluation.run(step, this.#policy({ version: step }), signal);
    for (const row of rows) await this.#writer.append("evals", row);
    this.#options.onEvent?.({ type: "eval-end", rows });
  }

  async isStopped(): Promise<boolean> {
    return this.#options.signal.aborted || (await isStopRequested(this.#options.directory));
  }

  async note(type: string, detail: Readonly<Record<string, string | number>>): Promise<void> {
    await this.#writer.append("events", { type, atMs: (this.#options.now ?? Date.now)(), detail: { ...detail } });
  }

  async finish(result: TrainResult): Promise<TrainResult> {
    await this.note("run-end", { step: result.step, why: result.why });
    if (result.why === "stopped") await clearStop(this.#options.directory);
    this.#options.onEvent?.({ type: "run-end", ...result });
    return result;
  }

  async close(): Promise<void> {
    await this.#rollouts?.close();
    await this.#writer.close();
  }

  #policy(ref: { readonly version: number } | "latest"): Model {
    return this.#options.modelOf(this.#options.engine.sampler(ref));
  }
}

export async function openTrainRun(options: TrainOptions): Promise<TrainRun> {
  const { directory, engine, model, adapter, environments, difficulty, seed, epochs } = options;
  const writer = options.resume ? await resumeRun(directory) : await createRun(directory, { config: options.config });
  try {
    const resumed = options.resume ? await readResumed(directory) : noRollouts;
    if (options.resume) await supersede(writer, resumed.step);
    const from: { from?: CheckpointRef } = resumed.from === undefined ? {} : { from: resumed.from };
    const trainer = await engine.open({ model, adapter, ...from });
    const curriculum = await openCurriculum({
      environments,
      difficulty,
      seed,
      ...(epochs === undefined ? {} : { epochs }),
    });
    const run = new TrainRun(options, writer, trainer, curriculum, resumed);
    await run.restore(resumed);
    await run.note("run-start", { step: resumed.step, reused: resumed.rollouts.size });
    options.onEvent?.({ type: "run-start", step: resumed.step, reused: resumed.rollouts.size });
    return run;
  } catch (error) {
    await writer.close();
    throw error;
  }
}
