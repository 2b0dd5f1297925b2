// What the server and the page say to each other of runs, metrics and logs (rollout-types.ts has the rest). Plain JSON; the server imports these types only, so the page stays free of Node.
import type { Json } from "@hone/core";

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
  /** Steps of those that are on the disk. */
  readonly checkpoints: readonly number[];
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
  readonly checkpoints: readonly number[];
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
