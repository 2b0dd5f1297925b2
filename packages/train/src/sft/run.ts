// One run of fine-tuning while it lasts: the parts that `sft` moves through, opened fresh or from the last checkpoint.
// What an update leaves on disk has an order that a kill at any moment cannot spoil: its row, the held-out loss, and last, when one is due,
// the checkpoint, whose row is the moment the step is certain.
import { type CheckpointRef, HoneError, type Trainer } from "@hone/core";
import {
  clearStop,
  createRun,
  isStopRequested,
  type MetricRow,
  resumeRun,
  type RunWriter,
  stepName,
} from "@hone/store";
import { learningRateAt } from "../update/learning-rate.ts";
import { Batches, type SftBatch } from "./batches.ts";
import { checkEngine } from "./check-engine.ts";
import { type Corpus, openCorpus } from "./corpus.ts";
import { HeldOut } from "./held-out.ts";
import { Mixture } from "./mixture.ts";
import type { SftOptions, SftResult } from "./options.ts";
import { exportFolder, lossesOf } from "./result.ts";
import { checkData, readResumed, type Resumed, type SavedState } from "./saved-state.ts";
import { updateOn } from "./update.ts";

const nothing: Resumed = { step: 0, state: undefined, checkpoints: [] };

class SftRun {
  readonly startStep: number;
  readonly #options: SftOptions;
  readonly #writer: RunWriter;
  readonly #trainer: Trainer;
  readonly #corpus: Corpus;
  readonly #batches: Batches;
  readonly #heldOut: HeldOut;
  /** Draws of the whole run. */
  readonly #draws: number | undefined;
  readonly #kept: CheckpointRef[];
  #state: SavedState;
  /** The last step with a checkpoint. */
  #certain: number;

  constructor(options: SftOptions, writer: RunWriter, trainer: Trainer, corpus: Corpus, resumed: Resumed) {
    this.#options = options;
    this.#writer = writer;
    this.#trainer = trainer;
    this.#corpus = corpus;
    this.startStep = resumed.step;
    this.#certain = resumed.step;
    // One more than is kept: a kill may have come before the oldest was removed.
    this.#kept = resumed.checkpoints.slice(-options.checkpoint.keep - 1);
    const mixture = new Mixture(corpus.parts, options.seed, resumed.state?.drawn);
    this.#state = resumed.state ?? {
      kind: "sft",
      drawn: [...mixture.drawn],
      dropped: 0,
      cut: 0,
      data: corpus.fingerprint,
    };
    this.#draws = options.epochs === undefined ? undefined : Math.ceil(options.epochs * mixture.size);
    this.#batches = new Batches({
      ...options,
      mixture,
      sources: corpus.sources,
      size: options.batch,
      draws: this.#draws,
    });
    this.#heldOut = new HeldOut({ ...options, rows: corpus.heldOut });
  }

  /** Empty when the data is over. */
  take(): Promise<SftBatch> {
    return this.#batches.take();
  }

  /** Policy `step - 1` becomes policy `step`; the row says how. */
  async update(batch: SftBatch, step: number): Promise<void> {
    const { optimizer, schedule, partTokens } = this.#options;
    const steps = this.#stepsFrom(step, batch);
    const learningRate = learningRateAt(step, optimizer.learningRate, steps, schedule);
    const metrics = await updateOn(this.#trainer, batch, { optimizer: { ...optimizer, learningRate }, partTokens });
    const row: MetricRow = {
      step,
      ...metrics,
      "sample/count": batch.samples.length,
      "sample/tokens": batch.tokens,
      "sample/trained_tokens": batch.trainedTokens,
      "sample/dropped": batch.dropped,
      "sample/cut": batch.cut,
      "sample/epoch": batch.position / this.#size(),
    };
    this.count(batch);
    await this.#writer.append("updates", row);
    this.#options.onEvent?.({ type: "update-end", row, steps: Math.ceil(steps) });
  }

  /** The batch is spent, whatever became of it. */
  count({ drawn, dropped, cut }: SftBatch): void {
    const state = this.#state;
    this.#state = { ...state, drawn: [...drawn], dropped: state.dropped + dropped, cut: state.cut + cut };
  }

  async evaluate(step: number, isLast: boolean): Promise<void> {
    if (step % this.#options.evaluation.interval !== 0 && !isLast) return;
    const row = await this.#heldOut.measure(this.#trainer, step);
    if (row === undefined) return;
    await this.#writer.append("evals", row);
    this.#options.onEvent?.({ type: "eval-end", row });
  }

  async commit(step: number, isLast: boolean): Promise<void> {
    const { checkpoint } = this.#options;
    if (step === this.#certain || (step % checkpoint.interval !== 0 && !isLast)) return;
    await this.#writer.flush();
    const saved = await this.#trainer.save(stepName(step));
    await this.#writer.append("checkpoints", { step, engine: saved.checkpoint, state: this.#state });
    this.#certain = step;
    this.#kept.push(saved);
    while (this.#kept.length > checkpoint.keep) {
      const old = this.#kept.shift();
      if (old !== undefined) await checkpoint.remove(old);
    }
  }

  async reject(step: number, batch: SftBatch, reason: string): Promise<void> {
    this.count(batch);
    await this.note("update-reject", { step, reason });
    this.#options.onEvent?.({ type: "update-reject", step, reason });
  }

  async isStopped(): Promise<boolean> {
    return this.#options.signal.aborted || (await isStopRequested(this.#options.directory));
  }

  async note(type: string, detail: Readonly<Record<string, string | number>>): Promise<void> {
    await this.#writer.append("events", { type, atMs: (this.#options.now ?? Date.now)(), detail: { ...detail } });
  }

  /** What was learnt so far is certain, and lies there for others to load. */
  async finish(step: number, why: SftResult["why"]): Promise<SftResult> {
    const { directory, adapter } = this.#options;
    await this.commit(step, true);
    const exported = step === 0 ? undefined : exportFolder(directory, adapter);
    if (exported !== undefined) await this.#trainer.export(exported);
    await this.#writer.flush();
    const loss = await lossesOf(directory, step);
    const result: SftResult = {
      step,
      why,
      dropped: this.#state.dropped,
      cut: this.#state.cut,
      ...(loss === undefined ? {} : { loss }),
      ...(exported === undefined ? {} : { exported }),
    };
    await this.note("run-end", { step, why });
    if (why === "stopped") await clearStop(directory);
    this.#options.onEvent?.({ type: "run-end", result });
    return result;
  }

  async close(): Promise<void> {
    await this.#corpus[Symbol.asyncDispose]();
    await this.#writer.close();
  }

  /** Where the data ends the run, its steps are known by what part of the data they took so far. */
  #stepsFrom(step: number, { position }: SftBatch): number {
    const { maxSteps } = this.#options;
    if (maxSteps !== undefined || this.#draws === undefined) return maxSteps ?? step;
    return (step * this.#draws) / position;
  }

  #size(): number {
    return this.#corpus.parts.reduce((sum, { rows }) => sum + rows.length, 0);
  }
}

export async function openSftRun(options: SftOptions): Promise<SftRun> {
  const { directory, engine, model, adapter, resume } = options;
  checkEngine(options);
  // Before anything is written: a mistake in the data leaves no run behind.
  const corpus = await openCorpus(options);
  let writer: RunWriter | undefined;
  try {
    // Tells of weights that are missing and of files that are all held out.
    const { size } = new Mixture(corpus.parts, options.seed);
    writer = resume ? await resumeRun(directory) : await createRun(directory, { config: options.config });
    const resumed = resume ? await readResumed(directory) : nothing;
    checkData(resumed.state, corpus.fingerprint);
    const from = resumed.checkpoints.at(-1);
    const trainer = await engine.open({ model, adapter, ...(from === undefined ? {} : { from }) });
    const run = new SftRun(options, writer, trainer, corpus, resumed);
    const heldOut = corpus.heldOut.length;
    await run.note("run-start", { step: resumed.step, conversations: size, heldOut });
    options.onEvent?.({ type: "run-start", step: resumed.step, conversations: size, heldOut });
    return run;
  } catch (error) {
    await corpus[Symbol.asyncDispose]();
    await writer?.close();
    throw error;
  }
}

export function isRejection(error: unknown): error is HoneError {
  return HoneError.is(error) && error.code === "non-finite";
}
