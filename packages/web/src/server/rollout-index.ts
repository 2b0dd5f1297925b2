// Where each rollout of a run lies on disk, with what a list sorts and filters by. Nothing of the conversations is kept: about 150 bytes a rollout.
// Files are read newest first and only where they grew, so the newest rollouts can be listed while older files are still being read.
// Of rollouts with the same id the later one counts: a run that went on from an earlier checkpoint made it again.
import { stat } from "node:fs/promises";
import { rolloutPaths, rolloutSteps, runPaths } from "@hone/store";
import { BadLines } from "./bad-lines.ts";
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
  readonly bad: BadLines;
  place: TailPlace;
  rollouts: IndexedRollout[];
}

/** Steps at the end that a run may still be writing to; older files are looked at less often. */
const livelySteps = 8;
const fullLookMs = 10_000;
const giveWayMs = 100;
const filesAtOnce = 3;
const mostOrders = 8;

export class RolloutIndex {
  readonly #folder: string;
  readonly #now: () => number;
  readonly #files = new Map<number, StepFile>();
  /** The step in which an id was written last. */
  readonly #steps = new Map<string, number>();
  /** Ids that stand in several steps: few, so that asking costs nothing. */
  readonly #again = new Set<string>();
  readonly #reading = new Map<number, Promise<void>>();
  readonly #words = new Map<string, string>();
  readonly #environments = new Set<string>();
  readonly #stops = new Set<string>();
  #refreshing: Promise<void> | undefined;
  #pause: Promise<void> | undefined;
  #isComplete = false;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #version = 0;
  /** Orders that were asked for lately, by what was asked. Void as soon as something is added. */
  #orders: { readonly version: number; readonly byKey: Map<string, readonly IndexedRollout[]> } | undefined;

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

  /** Files with lines that are no rollouts, by step. */
  get bad(): ReadonlyMap<number, BadLines> {
    return new Map([...this.#files].flatMap(([step, { bad }]) => (bad.count === 0 ? [] : [[step, bad]])));
  }

  /** Resolves when all that is on disk is indexed. Callers at the same time share one reading. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = undefined;
      this.#isComplete = true;
    });
    return this.#refreshing;
  }

  /** Somebody opens a rollout: reading all the others waits until that is done. */
  giveWay(): void {
    this.#pause ??= new Promise((resolve) => {
      setTimeout(() => {
        this.#pause = undefined;
        resolve();
      }, giveWayMs).unref();
    });
  }

  /** The file of one step alone: enough to open a link. */
  async step(step: number): Promise<readonly IndexedRollout[]> {
    await this.#readStep(step);
    return (this.#files.get(step)?.rollouts ?? []).filter((rollout) => this.#counts(rollout));
  }

  /** The step in which an id was written last, as far as files were read. */
  stepOf(id: string): number | undefined {
    return this.#steps.get(id);
  }

  /** Steps that have a file, in order; read or not. */
  async steps(): Promise<readonly number[]> {
    const isThere = (await resolveInside(this.#folder, runPaths(this.#folder).rollouts)) !== undefined;
    return isThere ? rolloutSteps(this.#folder) : [];
  }

  /** Those that count, newest first. */
  newestFirst(): readonly IndexedRollout[] {
    return this.ordered("", () => this.#newestFirst());
  }

  /** An order of the rollouts, made once for all pages of it: sorting a large run takes longer than reading a page. */
  ordered(key: string, make: () => readonly IndexedRollout[]): readonly IndexedRollout[] {
    if (this.#orders?.version !== this.#version) this.#orders = { version: this.#version, byKey: new Map() };
    const { byKey } = this.#orders;
    const rollouts = byKey.get(key) ?? make();
    byKey.set(key, rollouts);
    const [oldest] = [...byKey.keys()].filter((known) => known !== "");
    if (byKey.size > mostOrders && oldest !== undefined) byKey.delete(oldest);
    return rollouts;
  }

  #newestFirst(): readonly IndexedRollout[] {
    const rollouts: IndexedRollout[] = [];
    for (const step of [...this.#files.keys()].sort((a, b) => b - a)) {
      const own = this.#files.get(step)?.rollouts ?? [];
      for (let at = own.length - 1; at >= 0; at--) {
        const rollout = own[at];
        if (rollout !== undefined && this.#counts(rollout)) rollouts.push(rollout);
      }
    }
    return rollouts;
  }

  async #read(): Promise<void> {
    const steps = (await this.steps()).toReversed();
    const isFullLook = this.#now() - this.#lookedAtMs >= fullLookMs;
    const waiting = steps.entries();
    // Beside each other: most of the time of a small file is waiting for the disk.
    const readFiles = async (): Promise<void> => {
      for (const [position, step] of waiting) {
        await this.#pause;
        const isLively = position < livelySteps || !this.#files.has(step);
        if (isLively || (isFullLook && (await this.#hasChanged(step)))) await this.#readStep(step);
      }
    };
    await Promise.all(Array.from({ length: filesAtOnce }, readFiles));
    if (isFullLook) this.#lookedAtMs = this.#now();
  }

  async #hasChanged(step: number): Promise<boolean> {
    const read = this.#files.get(step)?.place.byte;
    return stat(rolloutPaths(this.#folder, step).lines).then(
      ({ size }) => size !== read,
      () => false,
    );
  }

  /** Two readers of one file at a time would add its lines twice. */
  #readStep(step: number): Promise<void> {
    const reading = this.#reading.get(step) ?? this.#readFile(step).finally(() => this.#reading.delete(step));
    this.#reading.set(step, reading);
    return reading;
  }

  async #readFile(step: number): Promise<void> {
    const file = this.#files.get(step) ?? { bad: new BadLines(), place: startPlace, rollouts: [] };
    const { lines: path } = rolloutPaths(this.#folder, step);
    for await (const { lines, place, isReplaced } of tail(this.#folder, path, file.place)) {
      if (isReplaced) this.#forget(file, step);
      for (const { text, byte, nextByte } of lines) {
        const facts = factsOf(text);
        if (facts === undefined) file.bad.add({ byte, nextByte });
        else this.#add(file, this.#indexed(facts, step, byte, nextByte - byte - 1));
      }
      file.place = place;
      this.#files.set(step, file);
      this.#version++;
    }
  }

  /** The file was written anew. */
  #forget(file: StepFile, step: number): void {
    for (const { id } of file.rollouts) if (this.#steps.get(id) === step) this.#steps.delete(id);
    file.rollouts = [];
    file.bad.clear();
  }

  #add(file: StepFile, rollout: IndexedRollout): void {
    const known = this.#steps.get(rollout.id);
    if (known === rollout.step) file.rollouts = file.rollouts.filter(({ id }) => id !== rollout.id);
    else if (known !== undefined) this.#again.add(rollout.id);
    file.rollouts.push(rollout);
    this.#environments.add(rollout.env);
    this.#stops.add(rollout.stop);
    this.#steps.set(rollout.id, Math.max(rollout.step, known ?? -1));
  }

  #counts({ id, step }: IndexedRollout): boolean {
    return !this.#again.has(id) || this.#steps.get(id) === step;
  }

  /** Every field by name: objects that are made by spreading are several times slower to go through, and there may be a hundred thousand. */
  #indexed(facts: RolloutFacts, step: number, byte: number, bytes: number): IndexedRollout {
    return {
      id: facts.id,
      group: this.#shared(facts.group),
      index: facts.index,
      env: this.#shared(facts.env),
      taskId: this.#shared(facts.taskId),
      reward: facts.reward,
      stop: this.#shared(facts.stop),
      isTruncated: facts.isTruncated,
      hasFailed: facts.hasFailed,
      turns: facts.turns,
      toolCalls: facts.toolCalls,
      outputTokens: facts.outputTokens,
      durationMs: facts.durationMs,
      step,
      byte,
      bytes,
    };
  }

  /** One copy of each word: environments, tasks, groups and stop reasons repeat. */
  #shared(word: string): string {
    const known = this.#words.get(word);
    if (known === undefined) this.#words.set(word, word);
    return known ?? word;
  }
}
