// What the server and the page say to each other. Plain JSON; the server imports these types only, so the page stays free of Node.
import type { AgentResult, Call, Failure, Json, JsonObject, Message, RolloutTiming, Stop } from "@hone/core";

/** The two folders under the root. An evaluation is a run with one step. */
export type RunKind = "runs" | "evals";

/** "interrupted": its process is gone without having said goodbye. "elsewhere": written on another host, which cannot be looked at from here. */
export type RunState = "running" | "stopping" | "elsewhere" | "finished" | "stopped" | "failed" | "interrupted";

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
  /** reward/mean over the run, at most a few dozen points. */
  readonly sparkline: readonly number[];
  /** Of an evaluation: the row of its evals.jsonl. */
  readonly result: MetricRow | null;
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
  readonly evals: readonly MetricRow[];
  readonly events: readonly EventRow[];
  /** How many groups ended how. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Where the live feed goes on after this answer. */
  readonly cursor: string;
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
  /** Rows on disk; fewer points than rows means that each pair of points is the extremes of a stretch. */
  readonly rows: number;
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
export interface TaskPage {
  /** By reward. */
  readonly hardest: readonly TaskItem[];
  readonly easiest: readonly TaskItem[];
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
}

export interface RolloutNode {
  readonly parent: number | null;
  readonly agent: string;
  readonly message: Message;
  readonly sampled: boolean;
  readonly tokens?: TokenColumns;
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
  /** What became of its group; null when nothing has yet. */
  readonly outcome: string | null;
  /** All rollouts of the group, best first. */
  readonly group: readonly RolloutItem[];
  /** Neighbours in the order of the file. */
  readonly previous: RolloutLink | null;
  readonly next: RolloutLink | null;
}
export interface RolloutLink {
  readonly step: number;
  readonly id: string;
}

export interface ApiProblem {
  readonly error: string;
  readonly hint?: string;
}
