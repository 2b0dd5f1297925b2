// What an update leaves on disk, in an order that a kill at any moment cannot spoil: samples, ledger, metrics, and last, when one is due, the checkpoint,
// whose row is the moment the step is certain.
import { type CheckpointRef, Sample, taskHash, type Trainer } from "@hone/core";
import { type MetricRow, type RunWriter, samplesPath, stepName, writeFileAtomic } from "@hone/store";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import type { CheckpointOptions } from "../options.ts";
import type { JudgedGroup } from "../schedule/collect.ts";
import type { SavedState } from "./resume.ts";

export interface Step {
  readonly step: number;
  readonly judged: readonly JudgedGroup[];
  readonly samples: readonly Sample[];
  readonly row: MetricRow;
  /** The last of the run: it gets a checkpoint whatever the interval. */
  readonly isLast: boolean;
}

export class Committer {
  readonly #writer: RunWriter;
  readonly #trainer: Trainer;
  readonly #checkpoint: CheckpointOptions;
  readonly #kept: CheckpointRef[] = [];
  readonly #seen = new Set<string>();

  constructor(writer: RunWriter, trainer: Trainer, checkpoint: CheckpointOptions) {
    this.#writer = writer;
    this.#trainer = trainer;
    this.#checkpoint = checkpoint;
  }

  async commit({ step, judged, samples, row, isLast }: Step, state: SavedState): Promise<void> {
    await writeSamples(this.#writer.directory, step, samples);
    await this.book(step, judged);
    await this.#writer.append("updates", row);
    if (!isLast && step % this.#checkpoint.interval !== 0) return;
    await this.#writer.flush();
    const saved = await this.#trainer.save(stepName(step));
    await this.#writer.append("checkpoints", { step, engine: saved.checkpoint, state: { ...state } });
    this.#kept.push(saved);
    while (this.#kept.length > this.#checkpoint.keep) {
      const old = this.#kept.shift();
      if (old !== undefined) await this.#checkpoint.remove(old);
    }
  }

  /** What became of each group, in the ledger. */
  async book(step: number, judged: readonly JudgedGroup[]): Promise<void> {
    for (const { group, verdict } of judged) {
      const { ticket, rollouts, failed, attempt } = group;
      const ids = [...rollouts, ...failed].map(({ id }) => id);
      await this.#task(ticket);
      await this.#writer.append("groups", {
        group: ticket.group,
        env: ticket.env,
        rollouts: ids,
        outcome: verdict,
        step,
        attempt,
      });
    }
  }

  async #task({ env, task }: JudgedGroup["group"]["ticket"]): Promise<void> {
    const key = `${env}/${task.id}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    await this.#writer.append("tasks", { env, task, hash: taskHash(task) });
  }
}

async function writeSamples(directory: string, step: number, samples: readonly Sample[]): Promise<void> {
  const path = samplesPath(directory, step, "jsonl");
  await mkdir(dirname(path), { recursive: true });
  await writeFileAtomic(path, samples.map((sample) => `${JSON.stringify(z.encode(Sample, sample))}\n`).join(""));
}
