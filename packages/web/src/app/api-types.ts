// What the server and the page say to each other. Plain JSON; the server imports these types only, so the page stays free of Node.
import type { AgentResult, Call, Failure, Json, JsonObject, Message, RolloutTiming, Stop } from "@hone/core";

/** The two folders under the root. An evaluation is a run with one step. */
export type RunKind = "runs" | "evals";

/** "interrupted": its process is gone without having said goodbye. "elsewhere": written on another host, which cannot be looked at from here.
 * "gone": its folder is no longer there, and what is shown was read before. */
export type RunState =
  | "running"
  | "stopping"
  | "elsewhere"
  | "finished"
  | "stopped"
  | "failed"
  | "interrupted"
  | "gone";

export interface RunItem {
  readonly kind: RunKind;
  readonly name: string;
  readonly state: RunState;
  readonly createdAtMs: number;
  readonly changedAtMs: number;
  readonly model: string | null;
  readonly environments: readonly string[];
  /** The last update, and how many are planned. */
  readonly step: number;
  readonly maxSteps: number | null;
  readonly reward: number | null;
  /** Fine-tuned on conversations: it has a loss and no reward. */
  readonly isSft: boolean;
  /** The last update's, of a run that is fine-tuned. */
  readonly loss: number | null;
  /** reward/mean over the run, or the loss where there is no reward; at most a few dozen points. */
  readonly sparkline: readonly number[];
  /** Of an evaluation: the row of its evals.jsonl. */
  readonly result: MetricRow | null;
  readonly pace: RunPace;
}

/** How far it is, how fast it goes, and when it was last heard of. */
export interface RunPace {
  /** Steps of a run, rollouts of an evaluation. */
  readonly done: number;
  readonly planned: number | null;
  /** Of the steps that are done. */
  readonly workedMs: number;
  /** When what is done was done: the time since then comes on top while it runs. */
  readonly sinceMs: number;
  /** A recent step; null where none is done, or nothing tells. */
  readonly unitMs: number | null;
  readonly longestMs: number | null;
  /** When it wrote something other than that it waits. */
  readonly aliveAtMs: number;
  /** What it says it waits for, and since then nothing else. */
  readonly stall: string | null;
}

/** What lies under the root of the server besides runs. */
export interface RootFacts {
  readonly root: string;
  /** What is in runs/ and evals/ and is none; the first few by name. */
  readonly strangers: Readonly<Record<RunKind, { readonly names: readonly string[]; readonly count: number }>>;
  /** Where the server should rather be started; null when nothing speaks for another folder. */
  readonly advice: string | null;
}

export type MetricValue = number | string | readonly number[];
export interface MetricRow {
  readonly step: number;
  readonly [metric: string]: MetricValue;
}

export interface RunDetail extends RunItem {
  /** The text of run.toml. */
  readonly config: string;
  /** Every numeric key of updates.jsonl. */
  readonly metrics: readonly string[];
  /** Every key of updates.jsonl whose values are lists of counts. */
  readonly histograms: readonly string[];
  /** Keys whose value was the same in every row, where there are a few, with that value. */
  readonly still: Readonly<Record<string, number>>;
  readonly evals: readonly MetricRow[];
  readonly events: readonly EventRow[];
  /** How many groups ended how. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** What is on disk and not shown. */
  readonly problems: readonly FileProblem[];
  /** Where the live feed goes on after this answer. */
  readonly cursor: string;
}

/** Lines of a file that are no rows. */
export interface FileProblem {
  /** From the run's folder: "updates.jsonl", "rollouts/000012.jsonl". */
  readonly file: string;
  readonly lines: number;
  /** Where the first of them begins. */
  readonly firstByte: number;
}

/** What the feed says of the run itself, whenever it changes. */
export interface RunBrief {
  readonly state: RunState;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly changedAtMs: number;
  readonly pace: RunPace;
}

/** What runs are compared by. */
export interface RunSettings {
  /** Plain values of the configuration, by dotted path: "optimizer.learning_rate". */
  readonly config: Readonly<Record<string, string>>;
  readonly metrics: readonly string[];
}

export interface EventRow {
  readonly type: string;
  readonly atMs: number;
  readonly detail: Json;
}

/** [key] is aligned with `steps`; null where a step lacks the key. */
export interface Series {
  readonly steps: readonly number[];
  readonly values: Readonly<Record<string, readonly (number | null)[]>>;
  /** Where each pair of points is the extremes of a stretch, and means were asked for: its mean, at both points. */
  readonly means?: Readonly<Record<string, readonly (number | null)[]>>;
  /** Rows on disk; fewer points than rows means that each pair of points is the extremes of a stretch. */
  readonly rows: number;
}

/** Counts of equal bins between 0 and 1. A column is a step, or a stretch of steps added up. */
export interface HistogramSeries {
  readonly from: readonly number[];
  readonly to: readonly number[];
  /** [column][bin]. */
  readonly counts: readonly (readonly number[])[];
}

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

export type LogLevel = "info" | "warning" | "error";
export interface LogItem extends EventRow {
  /** Where its line begins: the same line has the same number for ever. */
  readonly byte: number;
  readonly level: LogLevel;
}
export interface LogPage {
  /** Newest first. */
  readonly items: readonly LogItem[];
  /** The next `before`; null at the beginning of the file. */
  readonly next: number | null;
}

export interface ApiProblem {
  readonly error: string;
  readonly hint?: string;
}
