// What the server and the page say to each other of rollouts, their tokens and their tasks. Plain JSON.
import type { AgentResult, Call, Failure, Json, JsonObject, Message, RolloutTiming, Stop } from "@hone/core";

/** How rollouts went, step by step or over stretches of steps, counted from the rollouts themselves. */
export interface RolloutTrends {
  readonly steps: readonly number[];
  readonly measures: Readonly<Record<RolloutMeasure, Spread>>;
  /** Share of the rollouts that ended so; [reason] is aligned with `steps`. */
  readonly stops: Readonly<Record<string, readonly number[]>>;
  readonly isIndexed: boolean;
}
export type RolloutMeasure = "tokens" | "turns" | "toolCalls" | "seconds";
/** The middle, and between which values eight of ten lie. */
export interface Spread {
  readonly low: readonly number[];
  readonly middle: readonly number[];
  readonly high: readonly number[];
}

export interface RolloutItem {
  readonly id: string;
  readonly step: number;
  readonly group: string;
  readonly index: number;
  readonly env: string;
  readonly taskId: string;
  /** Null when it was not scored. */
  readonly reward: number | null;
  readonly stop: string;
  readonly isTruncated: boolean;
  readonly hasFailed: boolean;
  readonly turns: number;
  readonly toolCalls: number;
  readonly outputTokens: number;
  readonly durationMs: number;
  /** Of the last reply, or around what was searched. */
  readonly excerpt?: string;
}

export type RolloutSort = "newest" | "oldest" | "reward" | "-reward" | "-tokens" | "-duration";

export interface RolloutPage {
  readonly items: readonly RolloutItem[];
  /** The next `offset`; null at the end. */
  readonly next: number | null;
  /** Rollouts that pass the filters, before the search. */
  readonly total: number;
  readonly all: number;
  /** False while older files are still being read. */
  readonly isIndexed: boolean;
  readonly environments: readonly string[];
  readonly stops: readonly string[];
}

export interface TaskItem {
  readonly env: string;
  readonly taskId: string;
  readonly rollouts: number;
  /** Mean over the scored ones; null when none was. */
  readonly reward: number | null;
}
export interface RankedTask extends TaskItem {
  /** Share of the scored ones with at least half of the usual full reward, as in pass@1. */
  readonly solved: number;
  /** Mean rewards over time, a few points. */
  readonly trend: readonly number[];
}
export interface TaskPage {
  /** By reward. */
  readonly hardest: readonly RankedTask[];
  readonly easiest: readonly RankedTask[];
  /** How many tasks have a solve rate in each tenth of [0, 1]. */
  readonly solveRates: readonly number[];
  readonly total: number;
  readonly isIndexed: boolean;
}

export interface TokenColumns {
  readonly ids: readonly number[];
  readonly sampledFrom: number;
  readonly logprobs: readonly number[];
  readonly versions: { readonly values: readonly number[]; readonly lengths: readonly number[] };
  /** What each id says; null where the server knows no tokenizer. */
  readonly texts: readonly string[] | null;
  /** Of the sampled tokens, as they were trained on; absent when they were not. */
  readonly credit?: TokenCredit;
}
export interface TokenCredit {
  readonly advantages: readonly number[];
  /** 0: the token got no gradient. */
  readonly weights: readonly number[];
  /** Logprobs of the reference or teacher policy, where the algorithm asked for them. */
  readonly references?: readonly number[];
}
/** The tokens of a rollout, asked for when they are looked at. */
export interface TokenPage {
  readonly nodes: readonly { readonly node: number; readonly tokens: TokenColumns }[];
  /** Messages whose tokens were recorded and are no longer there. */
  readonly lost: number;
  /** The update that trained on it; null when none did. */
  readonly trainedIn: number | null;
}

export interface RolloutNode {
  readonly parent: number | null;
  readonly agent: string;
  readonly message: Message;
  readonly sampled: boolean;
}

export interface RolloutDetail {
  readonly item: RolloutItem;
  readonly envVersion: string;
  readonly attempt: number;
  readonly seed: number;
  readonly agents: readonly AgentResult[];
  readonly nodes: readonly RolloutNode[];
  readonly calls: readonly Call[];
  readonly state: Json;
  readonly stop: Stop;
  readonly failure: Failure | null;
  readonly timing: RolloutTiming;
  readonly info: JsonObject;
  /** From tasks.jsonl; null when it is not there. */
  readonly task: Json;
  /** Replies that score 1, turn by turn; null where the environment told none. */
  readonly gold: readonly string[] | null;
  /** What became of its group; null when nothing has yet. */
  readonly outcome: string | null;
  /** All rollouts of the group, best first. */
  readonly group: readonly RolloutItem[];
  /** Neighbours in the order in which they were written, across the files of steps. */
  readonly previous: RolloutLink | null;
  readonly next: RolloutLink | null;
  /** Texts of which only the beginning was sent: the place ("nodes/3/message/content") and the whole length in characters. */
  readonly cuts: Readonly<Record<string, number>>;
}
export interface RolloutLink {
  readonly step: number;
  readonly id: string;
}
/** The neighbours in a list that was filtered, ordered or searched. */
export interface Neighbours {
  readonly previous: RolloutLink | null;
  readonly next: RolloutLink | null;
  /** From 1 and before the search; null when the rollout is not in the list. */
  readonly position: number | null;
  readonly total: number;
  /** False while older files are still being read: there may be more to come. */
  readonly isIndexed: boolean;
}
