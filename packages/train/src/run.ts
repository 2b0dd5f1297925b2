// One training run while it lasts: the parts that `train` moves through, opened fresh or from the last checkpoint.
import { type CheckpointRef, HoneError, type Json, type Model, type Trainer } from "@hone/core";
import { clearStop, createRun, isStopRequested, type MetricRow, resumeRun, type RunWriter } from "@hone/store";
import type { TrainOptions, TrainResult } from "./options.ts";
import { type Batch, byLoss, finishBatch } from "./sample/batch.ts";
import { collectSamples } from "./sample/collect.ts";
import type { AlgorithmStates } from "./sample/credit.ts";
import { type ScoreAnswer, scoreRequests, withScores } from "./sample/scores.ts";
import { shuffleRewards } from "./sample/shuffle-rewards.ts";
import type { Collected } from "./schedule/collect.ts";
import { type Curriculum, openCurriculum } from "./schedule/curriculum.ts";
import { Dispatcher, type Notice } from "./schedule/dispatch.ts";
import { Committer } from "./update/commit.ts";
import { goldIn } from "./update/gold.ts";
import { collectedMetrics, sampledTokens } from "./update/metrics.ts";
import { optimizerAt } from "./update/replay.ts";
import { nothingResumed, resume, type Resumed } from "./update/resume.ts";
import { Stopwatch } from "./update/stopwatch.ts";
import { type UpdateResult, updatePolicy } from "./update/update-policy.ts";

interface RunParts {
  readonly writer: RunWriter;
  readonly trainer: Trainer;
  readonly curriculum: Curriculum;
  readonly resumed: Resumed;
}

export class TrainRun {
  readonly startStep: number;
  readonly #options: TrainOptions;
  readonly #writer: RunWriter;
  readonly #trainer: Trainer;
  readonly #curriculum: Curriculum;
  readonly #dispatcher: Dispatcher;
  readonly #committer: Committer;
  readonly #evaluated: Set<number>;
  readonly #stopwatch: Stopwatch;
  #algorithms: AlgorithmStates;
  #hasFailed = false;

  constructor(options: TrainOptions, { writer, trainer, curriculum, resumed }: RunParts) {
    const { checkpoint } = options;
    this.#options = options;
    this.#writer = writer;
    this.#trainer = trainer;
    this.#curriculum = curriculum;
    this.startStep = resumed.step;
    this.#algorithms = resumed.state?.algorithms ?? {};
    this.#evaluated = new Set(resumed.evaluated);
    this.#stopwatch = new Stopwatch(options.now ?? (() => performance.now()));
    this.#committer = new Committer({
      writer,
      trainer,
      checkpoint,
      // A kill may have come between a checkpoint and the removal of the one it replaced.
      kept: resumed.checkpoints.slice(-(checkpoint.keep + 1)),
      poolAt: (env, reward) => curriculum.poolAt(env, reward),
      goldOf: goldIn(options.environments),
    });
    this.#dispatcher = new Dispatcher({
      options,
      curriculum,
      policy: (ref) => this.#policy(ref),
      saved: resumed.rollouts,
      report: (notice) => this.#report(notice),
    });
  }

  async restore({ state }: Resumed): Promise<void> {
    if (state === undefined) return;
    await this.#curriculum.restore(state.curriculum);
    await this.#dispatcher.restore(state.collector);
  }

  /** Task → rollout → reward: the groups of this update. */
  collect(step: number): Promise<Collected> {
    this.#dispatcher.watch.waitFor("rollouts");
    return this.#stopwatch.time("rollout", () => this.#dispatcher.collect(step));
  }

  /** Sample: what is trained on, with its credit. */
  toBatch({ judged }: Collected, step: number): Promise<Batch> {
    const { treatmentOf, truncated, seqLen, shuffleRewards: isControl = false, seed } = this.#options;
    this.#dispatcher.watch.waitFor("scores");
    return this.#stopwatch.time("sample", async () => {
      const groups = judged.flatMap(({ group, verdict }) => (verdict === "trained" ? [group] : []));
      const credited = isControl
        ? groups.map(({ rollouts }) => ({ rollouts: shuffleRewards(rollouts, seed) }))
        : groups;
      const collected = collectSamples(credited, { truncated, seqLen });
      const answers: ScoreAnswer[] = [];
      for (const request of scoreRequests(collected, (env) => treatmentOf(env).algorithm)) {
        const sampler = request.need === "teacher" ? this.#options.teacher : this.#options.engine.sampler("base");
        if (sampler === undefined)
          throw new HoneError(`${request.env} needs a teacher, and the run has none.`, { code: "config" });
        const { temperature, samples } = request;
        const sequences = samples.map(({ tokens }) => tokens);
        const logprobs = await sampler.score(sequences, { temperature, signal: this.#options.signal });
        answers.push({ request, logprobs });
      }
      const states = this.#algorithms;
      return finishBatch(withScores(collected, answers), { treatmentOf, states, policyVersion: step - 1 });
    });
  }

  /** Update: policy `step - 1` becomes policy `step`. */
  update({ samples }: Batch, step: number): Promise<UpdateResult> {
    const { treatmentOf, microBatchTokens } = this.#options;
    this.#dispatcher.watch.waitFor("update");
    return this.#stopwatch.time("update", () =>
      updatePolicy(this.#trainer, byLoss(samples, treatmentOf), {
        optimizer: optimizerAt(step, this.#options),
        ...(microBatchTokens === undefined ? {} : { microBatchTokens }),
      }),
    );
  }

  async commit(
    step: number,
    { judged }: Collected,
    batch: Batch,
    { metrics }: UpdateResult,
    isLast: boolean,
  ): Promise<void> {
    const { maxOffPolicySteps } = this.#options;
    this.#dispatcher.watch.waitFor(undefined);
    const times = this.#stopwatch.lap();
    const pools = this.#curriculum.pools();
    const row: MetricRow = {
      step,
      ...collectedMetrics({ judged, step, maxOffPolicySteps, pools }),
      ...batch.metrics,
      ...metrics,
      ...times,
      "rollout/tokens_per_second": perSecond(sampledTokens(judged), times["step/seconds"]),
      "update/tokens_per_second": perSecond(batch.metrics["sample/tokens"], times["update/seconds"]),
    };
    this.#algorithms = batch.states;
    const state = {
      curriculum: this.#curriculum.state(),
      collector: this.#dispatcher.state(),
      algorithms: batch.states,
    };
    const flushRollouts = (): Promise<void> => this.#dispatcher.flush();
    await this.#committer.commit({ step, judged, samples: batch.samples, row, isLast, flushRollouts }, state);
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

  /** At the interval and after the last update; what a kill cut short is made up for. */
  async evaluate(step: number, isLast: boolean): Promise<void> {
    const { evaluation, signal } = this.#options;
    if (evaluation === undefined || signal.aborted || this.#evaluated.has(step)) return;
    if (step % evaluation.interval !== 0 && !isLast) return;
    this.#dispatcher.watch.waitFor(undefined);
    const policy = this.#policy({ version: step });
    const rows = await this.#stopwatch.time("eval", () => evaluation.run(step, policy, signal));
    for (const row of rows) await this.#writer.append("evals", row);
    this.#evaluated.add(step);
    this.#options.onEvent?.({ type: "eval-end", rows });
  }

  async isStopped(): Promise<boolean> {
    return this.#options.signal.aborted || (await isStopRequested(this.#options.directory));
  }

  async note(type: string, detail: Json): Promise<void> {
    await this.#writer.append("events", { type, atMs: Date.now(), detail });
  }

  async finish(result: TrainResult): Promise<TrainResult> {
    await this.#committer.supersede(result.step + 1, await this.#dispatcher.abandon());
    await this.note("run-end", { step: result.step, why: result.why });
    if (result.why === "stopped") await clearStop(this.#options.directory);
    this.#options.onEvent?.({ type: "run-end", ...result });
    return result;
  }

  /** The run ends with an error. Saying so must not hide it: a full disk takes no further row. */
  async fail(error: unknown): Promise<void> {
    this.#hasFailed = true;
    const code = HoneError.is(error) ? error.code : "error";
    const message = error instanceof Error ? error.message : String(error);
    await this.note("run-fail", { code, message }).catch(() => undefined);
    this.#options.onEvent?.({ type: "run-fail", code, message });
  }

  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (const part of [this.#dispatcher, this.#writer])
      await part.close().catch((error: unknown) => errors.push(error));
    if (errors.length > 0 && !this.#hasFailed) throw errors[0];
  }

  #report(notice: Notice): void {
    const { type, ...detail } = notice;
    void this.note(type, detail as Json).catch(() => undefined);
    this.#options.onEvent?.(notice);
  }

  #policy(ref: { readonly version: number } | "latest"): Model {
    return this.#options.modelOf(this.#options.engine.sampler(ref));
  }
}

function perSecond(tokens = 0, seconds = 0): number {
  return seconds > 0 ? tokens / seconds : 0;
}

export async function openTrainRun(options: TrainOptions): Promise<TrainRun> {
  const { directory, engine, model, adapter, environments, difficulty, seed, epochs } = options;
  const writer = options.resume ? await resumeRun(directory) : await createRun(directory, { config: options.config });
  try {
    const resumed = options.resume ? await resume(writer) : nothingResumed;
    const from: { from?: CheckpointRef } = resumed.from === undefined ? {} : { from: resumed.from };
    const trainer = await engine.open({ model, adapter, ...from });
    const curriculum = await openCurriculum({
      environments,
      difficulty,
      seed,
      ...(epochs === undefined ? {} : { epochs }),
    });
    const run = new TrainRun(options, { writer, trainer, curriculum, resumed });
    await run.restore(resumed);
    await run.note("run-start", { step: resumed.step, reused: resumed.rollouts.size });
    options.onEvent?.({ type: "run-start", step: resumed.step, reused: resumed.rollouts.size });
    return run;
  } catch (error) {
    await writer.close();
    throw error;
  }
}
