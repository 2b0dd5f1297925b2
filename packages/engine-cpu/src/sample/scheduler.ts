// Who runs in a step. Sequences run in order of rank; one that finds no page takes those of the last in rank, which waits again and
// is computed anew later. A step costs what runs in it, however many wait.
import type { HoneError } from "@hone/core";
import type { PolicyBindings } from "./policies.ts";
import { asHoneError } from "./request.ts";
import { type Job, Sequence } from "./sequence.ts";
import type { SequencePages } from "./sequence-pages.ts";
import type { StopText } from "./stop-text.ts";
import { isBefore, WaitingQueue } from "./waiting.ts";

export interface SchedulerOptions {
  readonly pages: SequencePages;
  readonly bindings: PolicyBindings;
  readonly capacity: number;
  /** At least `capacity`. */
  readonly stepTokens: number;
  readonly stopTextOf: (job: Job) => StopText | undefined;
}

/** Sequences of one policy that compute something in a step: `take` tokens each. */
export type Group = readonly [Sequence, ...Sequence[]];
export interface Plan {
  readonly groups: readonly Group[];
  /** Jobs whose policy is not held any more; they have been taken out. */
  readonly failures: ReadonlyMap<Job, HoneError>;
}

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #pages: SequencePages;
  readonly #waiting = new WaitingQueue<Job | Sequence>();
  /** By rank. */
  readonly #running: Sequence[] = [];
  #queued = 0;
  #step = 0;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#pages = options.pages;
  }

  get running(): number {
    return this.#running.length;
  }

  /** Sequences that wait. */
  get queued(): number {
    return this.#queued;
  }

  add(job: Job): void {
    this.#waiting.add(job);
    this.#queued += job.count;
  }

  /** Takes out what runs or waits of a job. */
  end(job: Job): void {
    if (job.place >= 0) this.#queued -= job.count - job.index;
    this.#waiting.remove(job);
    for (const sequence of job.live) this.finish(sequence);
  }

  /** Takes out one sequence. */
  finish(sequence: Sequence): void {
    if (sequence.place >= 0) this.#queued--;
    this.#waiting.remove(sequence);
    const at = this.#running.indexOf(sequence);
    if (at >= 0) this.#running.splice(at, 1);
    this.#pages.vacate(sequence);
    sequence.job.live.delete(sequence);
  }

  /** What the next step computes. */
  plan(): Plan {
    this.#step++;
    const failures = new Map<Job, HoneError>();
    for (const { job } of this.#running) this.#refresh(job, failures);
    for (const job of failures.keys()) this.end(job);
    for (const sequence of this.#running) this.#follow(sequence);
    this.#admit(failures);
    return { groups: this.#schedule(), failures };
  }

  #refresh(job: Job, failures: Map<Job, HoneError>): void {
    if (failures.has(job)) return;
    try {
      this.#options.bindings.refresh(job.binding, this.#step);
    } catch (error) {
      failures.set(job, asHoneError(error));
    }
  }

  /** Another policy: nothing that was computed holds any more. */
  #follow(sequence: Sequence): void {
    const { policy } = sequence.job.binding;
    if (sequence.policy !== policy) this.#pages.vacate(sequence);
    sequence.policy = policy;
  }

  #admit(failures: Map<Job, HoneError>): void {
    let spare = this.#pages.available;
    for (const { length, pages } of this.#running) spare -= this.#pages.countFor(length) - pages.length;
    while (this.#running.length < this.#options.capacity) {
      const entry = this.#waiting.first;
      if (entry === undefined) return;
      const job = entry.kind === "job" ? entry : entry.job;
      this.#refresh(job, failures);
      if (failures.has(job)) {
        this.end(job);
        continue;
      }
      // A page more for each that runs: or it would soon be sent back by those before it.
      const most = spare - this.#running.length;
      const { tokens, length } = entry.kind === "job" ? { tokens: job.prompt, length: job.prompt.length } : entry;
      let needed = this.#pages.countFor(length);
      if (needed > most) needed = this.#pages.countNew({ policy: job.binding.policy, tokens, length });
      if (needed > most) return;
      spare -= needed;
      this.#start(entry);
    }
  }

  #start(entry: Job | Sequence): void {
    const sequence = entry.kind === "job" ? this.#next(entry) : entry;
    this.#waiting.remove(sequence);
    this.#queued--;
    this.#follow(sequence);
    let at = this.#running.length;
    while (at > 0 && isBefore(sequence, this.#running[at - 1] ?? sequence)) at--;
    this.#running.splice(at, 0, sequence);
  }

  #next(job: Job): Sequence {
    const sequence = new Sequence(job, this.#options.stopTextOf(job));
    job.live.add(sequence);
    job.index++;
    if (job.index === job.count) this.#waiting.remove(job);
    else this.#waiting.moved(job);
    return sequence;
  }

  #schedule(): readonly Group[] {
    const groups = new Map<string, [Sequence, ...Sequence[]]>();
    const claims = new Set<string>();
    // Those that draw a token at every step come first; prompts share what is left of the step.
    let budget = this.#options.stepTokens;
    for (const { pending } of this.#running) if (pending === 1) budget--;
    // Whoever has to leave comes later in this order.
    for (const sequence of this.#running) {
      sequence.take = 0;
      const isDrawing = sequence.pending === 1;
      if (!isDrawing && (budget === 0 || !this.#pages.share(sequence, claims))) continue;
      const take = isDrawing ? 1 : Math.min(sequence.pending, budget);
      if (!this.#provide(sequence, take)) break; // nobody is left behind it
      sequence.take = take;
      if (!isDrawing) budget -= take;
      const group = groups.get(sequence.policy);
      if (group === undefined) groups.set(sequence.policy, [sequence]);
      else group.push(sequence);
    }
    return [...groups.values()];
  }

  /** Pages for the next `take` tokens, if need be from those behind it; false where it had to leave itself. */
  #provide(sequence: Sequence, take: number): boolean {
    for (;;) {
      const outcome = this.#pages.extend(sequence, take);
      if (outcome === "enough") return true;
      if (outcome === "none" && this.#preemptLast() === sequence) return false;
    }
  }

  /** Sends the last in rank, the youngest of the lowest priority, back to wait. */
  #preemptLast(): Sequence | undefined {
    const sequence = this.#running.pop();
    if (sequence === undefined) return undefined;
    this.#pages.vacate(sequence);
    this.#waiting.add(sequence);
    this.#queued++;
    return sequence;
  }
}
