// Rollout → batch. In order (lead 0): every group of a batch is sampled from the policy before it, results are looked at in the order of the tickets, so
// a run is the same however fast its parts are. As they come (lead 1 and more): rollouts go on while the engine updates; a batch is cut from what has
// arrived, slow groups wait for a later one, groups that are too old are given up. In both, groups that cannot be trained on are replaced.
import type { Json } from "@hone/core";
import { onAbort } from "@hone/env";
import type { FinishedGroup, Resumable, Ticket, Verdict } from "../nouns.ts";
import type { Curriculum } from "./curriculum.ts";
import { nothingFinished, nothingToLearn } from "./explain.ts";
import { judge, type JudgeOptions, meanReward } from "./judge.ts";

export interface CollectOptions extends JudgeOptions {
  readonly curriculum: Curriculum;
  readonly run: (ticket: Ticket, policyVersion: number, signal: AbortSignal) => Promise<FinishedGroup>;
  readonly groupsPerBatch: number;
  /** Batches that may be collected ahead of the policy. */
  readonly lead: number;
  readonly signal: AbortSignal;
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
/** The same, while not a single rollout finishes. */
const mostFailures = 3;

interface OpenGroup {
  readonly ticket: Ticket;
  readonly policyVersion: number;
  readonly result: Promise<FinishedGroup>;
  readonly cancel: () => void;
}

export class Collector implements Resumable {
  readonly #options: CollectOptions;
  /** Dispatched and not yet in a batch, by ticket. */
  readonly #open = new Map<number, OpenGroup>();
  /** Of the open ones, those that have ended, in that order. */
  readonly #arrived: OpenGroup[] = [];
  #wake: (() => void) | undefined;
  /** Given by a checkpoint: dispatched again before anything new. */
  #again: Ticket[] = [];
  #isExhausted = false;

  constructor(options: CollectOptions) {
    this.#options = options;
  }

  /** The groups of update `step`, which trains policy `step - 1`. Fewer when the signal aborts. */
  async take(step: number): Promise<Collected> {
    const { groupsPerBatch, lead, curriculum, signal } = this.#options;
    const judged: JudgedGroup[] = [];
    const wanted = groupsPerBatch * (lead + 1);
    this.#giveUpOld(step);
    let trained = 0;
    let finished = 0;
    while (trained < groupsPerBatch && !signal.aborted) {
      await this.#fill(wanted - trained, step - 1);
      const group = await (lead === 0 ? this.#oldest() : this.#first());
      if (group === undefined) break;
      this.#open.delete(group.ticket.number);
      const verdict = judge(group, step, this.#options);
      if (group.rollouts.length > 0) curriculum.observe(group.ticket, meanReward(group.rollouts));
      judged.push({ group, verdict });
      finished += group.rollouts.length;
      if (verdict === "trained") trained++;
      if (signal.aborted) break;
      if (finished === 0 && judged.length >= groupsPerBatch * mostFailures) throw nothingFinished(judged);
      if (judged.length - trained > groupsPerBatch * mostReplacements) throw nothingToLearn(judged);
    }
    const isLast = this.#isExhausted && this.#open.size === 0;
    if (isLast && finished === 0 && judged.length > 0 && !signal.aborted) throw nothingFinished(judged);
    return { judged, isLast };
  }

  /** Tickets that are dispatched and in no batch: what a resumed run must dispatch again. */
  state(): Json {
    const open = [...this.#open.values()].map(({ ticket }) => ticket);
    return [...this.#again, ...open].map((ticket) => JSON.parse(JSON.stringify(ticket)) as Json);
  }

  async restore(state: Json): Promise<void> {
    this.#again = [...(state as unknown as readonly Ticket[])].sort((a, b) => a.number - b.number);
  }

  /** For the end of a run: cancels what is under way and gives what had finished. */
  async abandon(): Promise<readonly FinishedGroup[]> {
    const open = [...this.#open.values()];
    for (const { cancel } of open) cancel();
    const ended = await Promise.allSettled(open.map(({ result }) => result));
    return ended.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  }

  async #fill(wanted: number, policyVersion: number): Promise<void> {
    while (this.#open.size < wanted && !this.#isExhausted) {
      const ticket = this.#again.shift() ?? (await this.#options.curriculum.next());
      if (ticket === undefined) {
        this.#isExhausted = true;
        return;
      }
      this.#open.set(ticket.number, this.#dispatch(ticket, policyVersion));
    }
  }

  #dispatch(ticket: Ticket, policyVersion: number): OpenGroup {
    const { run, signal } = this.#options;
    const controller = new AbortController();
    const unlink = onAbort(signal, () => controller.abort(signal.reason));
    const cancel = (): void => controller.abort(new Error("the group is no longer needed"));
    const open: OpenGroup = { ticket, policyVersion, result: run(ticket, policyVersion, controller.signal), cancel };
    const arrive = (): void => {
      unlink();
      this.#arrived.push(open);
      this.#wake?.();
    };
    open.result.then(arrive, arrive); // looked at when its turn comes
    return open;
  }

  /** Under way for so long that nothing of it could be trained on any more: what it holds is better given to a new one. */
  #giveUpOld(step: number): void {
    const { maxOffPolicySteps, stale, lead } = this.#options;
    if (lead === 0 || stale === "keep") return;
    const done = new Set(this.#arrived);
    for (const open of this.#open.values()) {
      if (step - 1 - open.policyVersion > maxOffPolicySteps && !done.has(open)) open.cancel();
    }
  }

  async #oldest(): Promise<FinishedGroup | undefined> {
    const first = this.#open.values().next().value;
    this.#arrived.length = 0; // nobody asks for the order of arrival
    return first?.result;
  }

  async #first(): Promise<FinishedGroup | undefined> {
    if (this.#open.size === 0) return undefined;
    while (this.#arrived.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#arrived.shift()?.result;
  }
}
