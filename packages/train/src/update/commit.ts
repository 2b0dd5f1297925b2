// What an update leaves on disk, in an order that a kill at any moment cannot spoil: rollouts, samples, ledger, metrics and the engine's checkpoint side by
// side, and only when all of them are on the disk the row of the checkpoint. That row is the moment the step is certain.
import { type CheckpointRef, type Sample, taskHash, type Trainer } from "@hone/core";
import { type GoldOf, recordedGold } from "@hone/env";
import { type GroupOutcome, type MetricRow, type RunWriter, stepName, type TaskRow } from "@hone/store";
import type { FinishedGroup } from "../nouns.ts";
import type { CheckpointOptions } from "../options.ts";
import type { JudgedGroup } from "../schedule/collect.ts";
import { meanReward } from "../schedule/judge.ts";
import type { SavedState } from "./resume.ts";
import { writeSamples } from "./sample-file.ts";

export interface Step {
  readonly step: number;
  readonly judged: readonly JudgedGroup[];
  readonly samples: readonly Sample[];
  readonly row: MetricRow;
  /** The last of the run: it gets a checkpoint whatever the interval. */
  readonly isLast: boolean;
  /** Resolves when the rollouts it was made of are on the disk. */
  readonly flushRollouts: () => Promise<void>;
}

export interface CommitterOptions {
  readonly writer: RunWriter;
  readonly trainer: Trainer;
  readonly checkpoint: CheckpointOptions;
  /** Checkpoints that earlier lives of the run may have left, oldest first. */
  readonly kept: readonly CheckpointRef[];
  readonly poolAt: (env: string, meanReward: number) => NonNullable<TaskRow["difficulty"]>["pool"];
  readonly goldOf: (env: string) => GoldOf;
}

export class Committer {
  readonly #options: CommitterOptions;
  readonly #kept: CheckpointRef[];
  readonly #seen = new Set<string>();

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.#kept = [...options.kept];
  }

  async commit({ step, judged, samples, row, isLast, flushRollouts }: Step, state: SavedState): Promise<void> {
    const { writer, trainer, checkpoint } = this.#options;
    const isDue = isLast || step % checkpoint.interval === 0;
    const rows = Promise.all([this.book(step, judged), writer.append("updates", row)]);
    const [saved] = await Promise.all([
      isDue ? trainer.save(stepName(step)) : undefined,
      writeSamples(writer.directory, step, samples),
      isDue ? rows.then(() => writer.flush()) : rows,
      isDue ? flushRollouts() : undefined,
    ]);
    if (saved === undefined) return;
    await writer.append("checkpoints", { step, engine: saved.checkpoint, state: { ...state } });
    this.#kept.push(saved);
    while (this.#kept.length > checkpoint.keep) {
      const old = this.#kept.shift();
      if (old !== undefined && old.checkpoint !== saved.checkpoint) await checkpoint.remove(old);
    }
  }

  /** What became of each group, in the ledger, and how hard its task was. */
  async book(step: number, judged: readonly JudgedGroup[]): Promise<void> {
    await Promise.all(
      judged.flatMap(({ group, verdict }) => [this.#group(group, verdict, step), this.#task(group, step)]),
    );
  }

  /** Groups that the run ends before: their rollouts count for nothing, unless it is resumed and takes them up. */
  async supersede(step: number, groups: readonly FinishedGroup[]): Promise<void> {
    await Promise.all(groups.map((group) => this.#group(group, "superseded", step)));
  }

  #group({ ticket, rollouts, failed, lost, attempt }: FinishedGroup, outcome: GroupOutcome, step: number) {
    const ids = [...rollouts, ...failed, ...lost].map(({ id }) => id);
    return this.#options.writer.append("groups", {
      group: ticket.group,
      env: ticket.env,
      rollouts: ids,
      outcome,
      step,
      attempt,
    });
  }

  async #task({ ticket: { env, task }, rollouts }: FinishedGroup, step: number): Promise<void> {
    const { writer, goldOf, poolAt } = this.#options;
    const key = `${env}/${task.id}`;
    const isNew = !this.#seen.has(key);
    this.#seen.add(key);
    if (rollouts.length === 0 && !isNew) return;
    const hash = rollouts[0]?.taskHash ?? taskHash(task);
    const row = { env, task, hash, ...recordedGold(goldOf(env), task) };
    if (rollouts.length === 0) return writer.append("tasks", row);
    const reward = meanReward(rollouts);
    const difficulty = { meanReward: reward, pool: poolAt(env, reward), step };
    await writer.append("tasks", { ...row, difficulty });
  }
}
