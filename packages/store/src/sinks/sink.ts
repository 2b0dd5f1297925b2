// What a sink is: something that takes points in the order of the files, and may be away for a while.
// A sink throws; the pump decides. An error that is retryable is tried again for as long as the run lasts, a refused batch is passed over,
// and any other error ends the sink, never the run.
import { HoneError } from "@hone/core";

export type SinkName = "wandb" | "tensorboard" | "mlflow";
export type SinkStream = "updates" | "evals";
export const sinkStreams: readonly SinkStream[] = ["updates", "evals"];

/** How a run ended, as its events tell. */
export type RunStatus = "finished" | "stopped" | "failed";

/** One row of updates.jsonl or evals.jsonl: its numbers, by the names that services show. */
export interface Point {
  readonly step: number;
  readonly metrics: Readonly<Record<string, number>>;
  /** What was sent with this step or a later one is superseded: the run went back to a checkpoint. */
  readonly isRewind: boolean;
}

/** Points of one stream. One that is sent again after a kill is the same in every field. */
export interface Batch {
  readonly stream: SinkStream;
  readonly points: readonly Point[];
  /** When it was first on its way. */
  readonly atMs: number;
  /** How many points went before it, since the run began. */
  readonly first: number;
}

export interface Sink {
  readonly name: SinkName;
  /** Connects where it is not connected. Says where the run can be seen, when it is news. */
  open(signal: AbortSignal): Promise<string | undefined>;
  /** Resolves when the other side has the batch. */
  send(batch: Batch, signal: AbortSignal): Promise<void>;
  /** Flushes, says how the run ended, lets go of everything. A signal that is aborted leaves only the last. */
  close(status: RunStatus, signal: AbortSignal): Promise<void>;
}

/** What a person is told. Never holds a secret. */
export interface SinkNotice {
  readonly sink: SinkName;
  readonly level: "info" | "warning";
  readonly message: string;
  readonly hint?: string;
}

/** The other side understood this batch and will not have it: sending it again cannot help. */
export function refusedError(message: string): HoneError {
  return new HoneError(message, { code: "sink-refused" });
}

/** The other side is away, busy or broken: another try may help. */
export function awayError(message: string, cause?: unknown): HoneError {
  return new HoneError(message, { code: "sink-away", isRetryable: true, ...(cause === undefined ? {} : { cause }) });
}

export function isRefused(error: unknown): boolean {
  return HoneError.is(error) && error.code === "sink-refused";
}
