// Rollout → batch. `inOrder` (lead 0): every group of a batch is sampled from the policy before it, results are looked at in the order of the tickets, so
// a run is the same however fast its parts are. `asTheyCome` (lead 1 and more): rollouts go on while the engine updates; a batch is cut from what has
// arrived, slow groups wait for a later one, groups that are too old are dropped. In both, groups without signal are replaced.
import { HoneError, type Json } from "@hone/core";
import type { FinishedGroup, Resumable, Ticket, Verdict } from "../nouns.ts";
import type { Curriculum } from "./curriculum.ts";
import { judge, type JudgeOptions, meanReward } from "./judge.ts";

export interface CollectOptions extends JudgeOptions {
  readonly curriculum: Curriculum;
  readonly run: (ticket: Ticket, policyVersion: number) => Promise<FinishedGroup>;
  readonly groupsPerBatch: number;
  /** Batches that may be collected ahead of the policy. */
  readonly lead: number;
}

export interface JudgedGroup {
  readonly group: FinishedGroup;
  readonly verdict: Verdict;
}
export interface Collected {
  /** Those that are trained on, and those that were left out on the way, in order. */
  readonly judged: readonly JudgedGroup[];
  /** No further tasks: the epochs are over. */
  readonly isLast: boolean;
}

/** Groups are replaced this many times a batch's size before the run says that it learns nothing. */
const mostReplacements = 10;

export class Collector implements Resumable {
  readonly #options: CollectOptions;
  /** Dispatched and not yet in a batch, by ticket. */
  readonly #open = new Map<number, { readonly ticket: Ticket; readonly result: Promise<FinishedGroup> }>();
  /** Given by a checkpoint: dispatched again before anything new. */
  #again: Ticket[] = [];
  #isExhausted = false;

  constructor(options: CollectOptions) {
    this.#options = options;
  }

  /** The groups of update `step`, which trains policy `step - 1`. */
  async take(step: number): Promise<Collected> {
    const { groupsPerBatch, lead, curriculum } = this.#options;
    const judged: JudgedGroup[] = [];
    const wanted = groupsPerBatch * (lead + 1);
    let trained = 0;
    while (trained < groupsPerBatch) {
      await this.#fill(wanted - trained, step - 1);
      const group = lead === 0 ? await this.#oldest() : await this.#first();
      if (group === undefined) break;
      this.#open.delete(group.ticket.number);
      const verdict = judge(group, step, this.#options);
      if (group.rollouts.length > 0) curriculum.observe(group.ticket, meanReward(group.rollouts));
      judged.push({ group, verdict });
      if (verdict === "trained") trained++;
      else if (judged.length - trained > groupsPerBatch * mostReplacements) throw nothingToLearn(judged);
    }
    return { judged, isLast: this.#isExhausted && this.#open.size === 0 };
  }

  /** Tickets that are dispatched and in no batch: what a resumed run must dispatch again. */
  state(): Json {
    const open = [...this.#open.values()].map(({ ticket }) => ticket);
    return [...this.#again, ...open].map((ticket) => JSON.parse(JSON.stringify(ticket)) as Json);
  }

  async restore(state: Json): Promise<void> {
    this.#again = [...(state as unknown as readonly Ticket[])].sort((a, b) => a.number - b.number);
  }

  /** Waits until nothing is under way; for the end of a run. */
  async settle(): Promise<void> {
    await Promise.allSettled([...this.#open.values()].map(({ result }) => result));
  }

  async #fill(wanted: number, policyVersion: number): Promise<void> {
    while (this.#open.size < wanted && !this.#isExhausted) {
      const ticket = this.#again.shift() ?? (await this.#options.curriculum.next());
      if (ticket === undefined) {
        this.#isExhausted = true;
        return;
      }
      const result = this.#options.run(ticket, policyVersion);
      result.catch(() => undefined); // looked at when its turn comes
      this.#open.set(ticket.number, { ticket, result });
    }
  }

  async #oldest(): Promise<FinishedGroup | undefined> {
    const first = this.#open.values().next().value;
    return first?.result;
  }

  async #first(): Promise<FinishedGroup | undefined> {
    return this.#open.size === 0 ? undefined : Promise.race([...this.#open.values()].map(({ result }) => result));
  }
}

function nothingToLearn(judged: readonly JudgedGroup[]): HoneError {
  const counts = new Map<string, number>();
  for (const { group, verdict } of judged) {
    if (verdict === "trained") continue;
    const what = `${group.ticket.env}: ${verdict === "no_signal" ? "all rewards of a group agree" : verdict}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  const lines = [...counts].sort(([, a], [, b]) => b - a).map(([what, count]) => `${what} (${count} groups)`);
  return new HoneError(`Nothing to learn from: ${lines.join("; ")}.`, {
    code: "no-signal",
    hint: "Make the tasks easier or harder, raise the temperature or group_size, or look at the rollouts that failed.",
  });
}
