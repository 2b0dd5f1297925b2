// Where each rollout of a run lies on disk, with what a list sorts and filters by. Nothing of the conversations is kept: about 150 bytes a rollout.
// Files are read newest first and only where they grew, so the newest rollouts can be listed while older files are still being read.
// Of rollouts with the same id the later one counts: a run that went on from an earlier checkpoint made it again.
import { stat } from "node:fs/promises";
import { rolloutPaths, rolloutSteps, runPaths } from "@hone/store";
import { resolveInside } from "./inside.ts";
import { factsOf, type RolloutFacts } from "./rollout-facts.ts";
import { startPlace, tail, type TailPlace } from "./tail.ts";

export interface IndexedRollout extends RolloutFacts {
  readonly step: number;
  readonly byte: number;
  /** Without the newline. */
  readonly bytes: number;
}

interface StepFile {
  place: TailPlace;
  rollouts: IndexedRollout[];
}

/** Steps at the end that a run may still be writing to; older files are looked at less often. */
const livelySteps = 8;
const fullLookMs = 10_000;

export class RolloutIndex {
  readonly #folder: string;
  readonly #now: () => number;
  readonly #files = new Map<number, StepFile>();
  /** The step in which an id was written last. */
  readonly #steps = new Map<string, number>();
  readonly #reading = new Map<number, Promise<void>>();
  readonly #words = new Map<string, string>();
  readonly #environments = new Set<string>();
  readonly #stops = new Set<string>();
  #refreshing: Promise<void> | undefined;
  #isComplete = false;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #version = 0;
  #sorted: { readonly version: number; readonly rollouts: readonly IndexedRollout[] } | undefined;

  constructor(folder: string, now: () => number) {
    this.#folder = folder;
    this.#now = now;
  }

  /** Grows whenever something was added. */
  get version(): number {
    return this.#version;
  }

  /** Everything that was on disk has been read once. */
  get isComplete(): boolean {
    return this.#isComplete;
  }
  get environments(): readonly string[] {
    return [...this.#environments].sort();
  }
  get stops(): readonly string[] {
    return [...this.#stops].sort();
  }

  /** Resolves when all that is on disk is indexed. Callers at the same time share one reading. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = undefined;
      this.#isComplete = true;
    });
    return this.#refreshing;
  }

  /** The file of one step alone: enough to open a link. */
  async step(step: number): Promise<readonly IndexedRollout[]> {
    await this.#readStep(step);
    return (this.#files.get(step)?.rollouts ?? []).filter((rollout) => this.#counts(rollout));
  }

  /** Those that count, newest first. */
  newestFirst(): readonly IndexedRollout[] {
    if (this.#sorted?.version === this.#version) return this.#sorted.rollouts;
    const rollouts: IndexedRollout[] = [];
    for (const step of [...this.#files.keys()].sort((a, b) => b - a)) {
      const own = this.#files.get(step)?.rollouts ?? [];
      for (let at = own.length - 1; at >= 0; at--) {
        const rollout = own[at];
        if (rollout !== undefined && this.#counts(rollout)) rollouts.push(rollout);
      }
    }
    this.#sorted = { version: this.#version, rollouts };
    return rollouts;
  }

  async #read(): Promise<void> {
    if ((await resolveInside(this.#folder, runPaths(this.#folder).rollouts)) === undefined) return;
    const steps = (await rolloutSteps(this.#folder)).toReversed();
    const isFullLook = this.#now() - this.#lookedAtMs >= fullLookMs;
    for (const [position, step] of steps.entries()) {
      const known = this.#files.get(step);
      if (known !== undefined && position >= livelySteps) {
        if (!isFullLook) continue;
        const size = await stat(rolloutPaths(this.#folder, step).lines).then(
          (file) => file.size,
          () => known.place.byte,
        );
        if (size === known.place.byte) continue;
      }
      await this.#readStep(step);
    }
    if (isFullLook) this.#lookedAtMs = this.#now();
  }

  /** Two readers of one file at a time would add its lines twice. */
  #readStep(step: number): Promise<void> {
    const reading = this.#reading.get(step) ?? this.#readFile(step).finally(() => this.#reading.delete(step));
    this.#reading.set(step, reading);
    return reading;
  }

  async #readFile(step: number): Promise<void> {
    const file = this.#files.get(step) ?? { place: startPlace, rollouts: [] };
    const { lines: path } = rolloutPaths(this.#folder, step);
    for await (const { lines, place, isReplaced } of tail(this.#folder, path, file.place)) {
      if (isReplaced) file.rollouts = [];
      for (const { text, byte, nextByte } of lines) {
        const facts = factsOf(text);
        if (facts !== undefined) this.#add(file, { ...this.#shared(facts), step, byte, bytes: nextByte - byte - 1 });
      }
      file.place = place;
      this.#files.set(step, file);
      this.#version++;
    }
  }

  #add(file: StepFile, rollout: IndexedRollout): void {
    const known = this.#steps.get(rollout.id);
    if (known === rollout.step) file.rollouts = file.rollouts.filter(({ id }) => id !== rollout.id);
    file.rollouts.push(rollout);
    this.#environments.add(rollout.env);
    this.#stops.add(rollout.stop);
    this.#steps.set(rollout.id, Math.max(rollout.step, known ?? -1));
  }

  #counts({ id, step }: IndexedRollout): boolean {
    return this.#steps.get(id) === step;
  }

  /** One copy of each word: environments, tasks, groups and stop reasons repeat. */
  #shared(facts: RolloutFacts): RolloutFacts {
    const share = (word: string): string => {
      const known = this.#words.get(word);
      if (known !== undefined) return known;
      this.#words.set(word, word);
      return word;
    };
    const { group, env, taskId, stop } = facts;
    return { ...facts, group: share(group), env: share(env), taskId: share(taskId), stop: share(stop) };
  }
}
