// The trainer's side of the engine: each call is a piece of work in one line, so they run in the order they were made.
// Invariant: a policy changes in `update` only, and only when every forwardBackward of its step succeeded.
import { HoneError, type CheckpointRef, type LossReport, type TrainerSpec, type UpdateReport } from "@hone/core";
import { rowTokens } from "../engine/defaults.ts";
import type { QuestionOf, WorkerSettings } from "../engine/protocol.ts";
import type { Kernels } from "../kernel/kernels.ts";
import type { DecoderWeights } from "../model/weights.ts";
import { createTrainer } from "../train/create-trainer.ts";
import { exportPolicy } from "../train/export.ts";
import { importAdapter, isAdapterFolder } from "../train/import-adapter.ts";
import { snapshotPolicy } from "../train/snapshot.ts";
import type { CpuTrainer, TrainerState } from "../train/trainer.ts";
import { isSameAdapter, readHeader, readState, tensorsFile } from "./checkpoint.ts";
import { writeCheckpoint } from "./checkpoint-write.ts";
import type { Policies } from "./policies.ts";
import { waitFor, type Work } from "./work.ts";

export interface TrainingOptions {
  readonly kernels: Kernels;
  readonly base: DecoderWeights;
  readonly policies: Policies;
  readonly settings: WorkerSettings;
}

interface Opened {
  readonly id: number;
  readonly trainer: CpuTrainer;
  /** Of a forwardBackward since the last update. */
  failure: { readonly reason: unknown } | undefined;
}

export class Training {
  readonly #options: TrainingOptions;
  #opened: Opened | undefined;
  #count = 0;

  constructor(options: TrainingOptions) {
    this.#options = options;
  }

  *open({ model, adapter, from }: TrainerSpec): Work<{ readonly trainer: number }> {
    const { kernels, base, policies, settings } = this.#options;
    if (model !== settings.name) {
      throw new HoneError(`this engine has one model, "${settings.name}", not "${model}"`, { code: "unknown-model" });
    }
    const start = from === undefined ? undefined : yield* waitFor(this.#readState(from, adapter));
    const trainer = this.#create({ adapter, base, kernels, start });
    try {
      policies.restart(snapshotPolicy(kernels, trainer.policy));
    } catch (error) {
      trainer.release();
      throw error;
    }
    this.#opened?.trainer.release();
    this.#opened = { id: ++this.#count, trainer, failure: undefined };
    return { trainer: this.#count };
  }

  *forwardBackward({ trainer, samples, loss }: QuestionOf<"forwardBackward">): Work<LossReport> {
    const opened = this.#find(trainer);
    try {
      return yield* opened.trainer.forwardBackward(samples, loss);
    } catch (reason) {
      opened.failure ??= { reason };
      throw reason;
    }
  }

  *update({ trainer, step }: QuestionOf<"update">): Work<UpdateReport> {
    const opened = this.#find(trainer);
    const { failure } = opened;
    opened.failure = undefined;
    if (failure !== undefined) {
      opened.trainer.discard();
      const { reason } = failure;
      const why = reason instanceof Error ? reason.message : String(reason);
      throw new HoneError(`no update: a forwardBackward before it failed (${why})`, {
        code: "failed-step",
        hint: "Repeat the step, or open the trainer again from its last checkpoint.",
        cause: reason,
      });
    }
    // All parameters at once takes a while: tokens and messages first.
    yield;
    return opened.trainer.update(step);
  }

  *publish({ trainer }: QuestionOf<"publish">): Work<{ readonly version: number }> {
    const opened = this.#find(trainer);
    const { kernels, policies } = this.#options;
    const { policy } = opened.trainer;
    // The same policy again would only cost memory, and the sampler its cache.
    if (policies.isLatest(policy.version)) return { version: policy.version };
    yield;
    policies.publish(snapshotPolicy(kernels, policy));
    return { version: policy.version };
  }

  *save({ trainer, name }: QuestionOf<"save">): Work<CheckpointRef> {
    const opened = this.#find(trainer);
    const { kernels, settings } = this.#options;
    const { checkpoints: folder, name: model } = settings;
    // The arrays are the live ones: the line waits, so nothing changes them.
    const state = opened.trainer.state();
    yield* waitFor(writeCheckpoint({ folder, name, model, kernels: kernels.info, state }));
    return { checkpoint: name };
  }

  *export({ trainer, directory }: QuestionOf<"export">): Work<null> {
    const opened = this.#find(trainer);
    const { model: modelFolder, name: modelName } = this.#options.settings;
    yield* waitFor(exportPolicy(opened.trainer.policy, { modelFolder, modelName, directory }));
    return null;
  }

  #find(id: number): Opened {
    if (this.#opened?.id === id) return this.#opened;
    throw new HoneError("another trainer was opened since", { code: "closed" });
  }

  #create({ adapter, base, kernels, start }: CreateOptions): CpuTrainer {
    const { isRecomputing = false } = this.#options.settings;
    const shared = { kernels, base, adapter, rowTokens, isRecomputing };
    if (start === undefined) return createTrainer(shared);
    try {
      return createTrainer({ ...shared, from: start.state });
    } catch (cause) {
      if (HoneError.is(cause) && cause.code === "out-of-memory") throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new HoneError(`${start.file} does not fit: ${reason}`, {
        code: "checkpoint",
        hint: "It is damaged or belongs to another model; open an earlier checkpoint.",
        cause,
      });
    }
  }

  async #readState({ checkpoint }: CheckpointRef, adapter: TrainerSpec["adapter"]): Promise<Start> {
    const { checkpoints: folder, name: model } = this.#options.settings;
    if (isAdapterFolder(checkpoint)) {
      return { state: await importAdapter(checkpoint, this.#options.base), file: checkpoint };
    }
    const place = { folder, name: checkpoint };
    const header = await readHeader(place, model);
    const file = tensorsFile(place, header);
    if (isSameAdapter(header.adapter, adapter)) return { state: await readState({ ...place, header }), file };
    throw new HoneError(`checkpoint "${checkpoint}" has another adapter`, {
      code: "checkpoint",
      hint: `It was saved with ${JSON.stringify(header.adapter)}; open it with the same.`,
    });
  }
}

interface Start {
  readonly state: TrainerState;
  /** For errors. */
  readonly file: string;
}
interface CreateOptions extends Pick<TrainerSpec, "adapter">, Pick<TrainingOptions, "kernels" | "base"> {
  readonly start: Start | undefined;
}
