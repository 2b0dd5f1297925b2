// The rows of a run's streams. Strict: a misspelt field is an error with its line, not a silent loss.
import { type GroupId, idSchema, type Json, type JsonObject, type RolloutId, Task } from "@hone/core";
import * as z from "zod";

/** One flat object per step: metrics, labels, and pairs such as an interval. */
export interface MetricRow {
  readonly step: number;
  readonly [metric: string]: MetricValue;
}
export type MetricValue = number | string | readonly number[];

/** Anything notable, in the order it happened. */
export interface RunEvent {
  readonly type: string;
  readonly atMs: number;
  readonly detail: Json;
}

/** The ledger: what became of a group. The last row of a group counts. */
export interface LedgerRow {
  readonly group: GroupId;
  readonly env: string;
  readonly rollouts: readonly RolloutId[];
  readonly outcome: GroupOutcome;
  /** The update it was collected for. */
  readonly step: number;
  readonly attempt: number;
}
export type GroupOutcome = "trained" | "no_signal" | "stale" | "failed" | "superseded";

export interface CheckpointRow {
  readonly step: number;
  /** The engine's name for its checkpoint. */
  readonly engine: string;
  /** Curriculum, algorithm and position in the ledger, as the trainer keeps them. */
  readonly state: Json;
}

/** A task that was seen: rollouts refer to it by id. The last row of a task counts. */
export interface TaskRow {
  readonly env: string;
  readonly task: Task<JsonObject>;
  readonly hash: string;
  /** Replies that score 1, turn by turn, where the environment gives them. */
  readonly gold?: readonly string[];
  /** Where it is trained on. */
  readonly difficulty?: TaskDifficulty;
}
interface TaskDifficulty {
  /** Of its latest group. */
  readonly meanReward: number;
  readonly pool: "easy" | "normal" | "hard";
  /** The update that group was collected for. */
  readonly step: number;
}

const step = z.int().min(0);
/** JSON has no word for these; a loss that became NaN must not make its run unreadable. */
const metricNumber = z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"]).transform(Number)]);

export const MetricRow: z.ZodType<MetricRow, unknown> = z
  .object({ step })
  .catchall(z.union([metricNumber, z.string(), z.array(metricNumber)]));

export const RunEvent: z.ZodType<RunEvent, unknown> = z.strictObject({
  type: z.string().min(1),
  atMs: z.number().min(0),
  detail: z.json(),
});

export const LedgerRow: z.ZodType<LedgerRow, unknown> = z.strictObject({
  group: idSchema<"group">(),
  env: z.string(),
  rollouts: z.array(idSchema<"rollout">()),
  outcome: z.enum(["trained", "no_signal", "stale", "failed", "superseded"]),
  step,
  attempt: z.int().min(0),
});

export const CheckpointRow: z.ZodType<CheckpointRow, unknown> = z.strictObject({
  step,
  engine: z.string(),
  state: z.json(),
});

export const TaskRow: z.ZodType<TaskRow, unknown> = z.strictObject({
  env: z.string(),
  task: Task,
  hash: z.string(),
  gold: z.array(z.string()).exactOptional(),
  difficulty: z
    .strictObject({ meanReward: z.number(), pool: z.enum(["easy", "normal", "hard"]), step })
    .exactOptional(),
});

/** What each stream of a run holds; the file is `<name>.jsonl`. */
export interface RunStreams {
  readonly tasks: TaskRow;
  readonly groups: LedgerRow;
  readonly updates: MetricRow;
  readonly evals: MetricRow;
  readonly checkpoints: CheckpointRow;
  readonly events: RunEvent;
}
export type StreamName = keyof RunStreams;

export const streamSchemas: { readonly [Name in StreamName]: z.ZodType<RunStreams[Name], unknown> } = {
  tasks: TaskRow,
  groups: LedgerRow,
  updates: MetricRow,
  evals: MetricRow,
  checkpoints: CheckpointRow,
  events: RunEvent,
};

/** A row as its line. */
export function encodeRow(row: RunStreams[StreamName]): string {
  return JSON.stringify(row, (_key, value: unknown) =>
    typeof value === "number" && !Number.isFinite(value) ? String(value) : value,
  );
}
