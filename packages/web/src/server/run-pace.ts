// How far a run is and how fast it goes, from what it wrote: the seconds of its steps, when files last grew, and what it says it waits for. Nothing here
// depends on the time of asking, so that an answer changes only when the run does.
import { stat } from "node:fs/promises";
import { rolloutPaths, runPaths } from "@hone/store";
import type { RunPace } from "../app/api-types.ts";
import type { MetricTable } from "./metric-table.ts";

type Row = Readonly<Record<string, unknown>>;

export interface PaceSources {
  readonly folder: string;
  readonly updates: MetricTable;
  readonly events: readonly Row[];
  readonly planned: number | null;
  /** Of an evaluation: its rollouts, which are counted instead of steps. */
  readonly rollouts?: number;
}

/** A recent step is the mean of so many: evaluations fall into some of them. */
const recentSteps = 20;
/** A batch or two may be collected ahead. */
const stepsAhead = 3;

export async function paceOf({ folder, updates, events, planned, rollouts }: PaceSources): Promise<RunPace> {
  const { streams, rollouts: files } = runPaths(folder);
  const ahead = Array.from({ length: stepsAhead }, (_, index) => rolloutPaths(folder, updates.lastStep + index).lines);
  const [updatedAtMs = 0, ...others] = await Promise.all(
    [streams.updates, streams.evals, streams.tasks, files, ...ahead].map(modifiedAtMs),
  );
  const stall = events.findLast(({ type }) => type === "stall");
  const told = events.findLast(({ type }) => type !== "stall" && type !== "blocked");
  const aliveAtMs = Math.max(updatedAtMs, ...others, timeOf(told));
  const startedAtMs = timeOf(events.findLast(({ type }) => /-(start|resume)$/.test(String(type))));
  const key = ["step/seconds", "update/seconds"].find((one) => updates.last(one) !== undefined);
  const seconds = key === undefined ? [] : updates.tail(key, recentSteps);
  const mean = seconds.reduce((sum, one) => sum + one, 0) / seconds.length;
  return {
    done: rollouts ?? updates.lastStep,
    planned,
    workedMs: key === undefined ? 0 : Math.round(1000 * updates.sum(key)),
    sinceMs: Math.max(updatedAtMs, startedAtMs),
    unitMs: seconds.length === 0 ? null : Math.round(1000 * mean),
    longestMs: seconds.length === 0 ? null : Math.round(1000 * Math.max(...seconds)),
    aliveAtMs,
    stall: timeOf(stall) > aliveAtMs ? messageOf(stall) : null,
  };
}

function timeOf(event: Row | undefined): number {
  const atMs = event?.["atMs"];
  return typeof atMs === "number" ? atMs : 0;
}

/** What an event tells in words; "" when it has none. */
function messageOf(event: Row | undefined): string {
  const detail = event?.["detail"];
  if (typeof detail === "string") return detail;
  const message = typeof detail === "object" && detail !== null && "message" in detail ? detail.message : "";
  return typeof message === "string" ? message : "";
}

export async function modifiedAtMs(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
