// How far a run is, in words that depend on the time of day: how long it has worked, how long it still takes at the pace of its recent steps, and whether
// it stands still.
import type { RunPace, RunState } from "./api-types.ts";
import { formatSpan } from "./format.ts";

export interface Progress {
  /** Between 0 and 1; undefined where nothing tells how much there is to do. */
  readonly share: number | undefined;
  readonly elapsedMs: number;
  /** Undefined where it cannot be told. */
  readonly leftMs: number | undefined;
  /** Why it seems to stand still; undefined while it goes on. */
  readonly stall: string | undefined;
}

/** A step may well take a few times as long as the recent ones; and some time passes before the first. */
const [timesLonger, leastMs, firstMs] = [4, 60_000, 180_000];

export function progressOf(pace: RunPace, state: RunState, nowMs: number): Progress {
  const { done, planned, workedMs, sinceMs, unitMs } = pace;
  const isAtWork = state === "running" || state === "stopping";
  const underWayMs = isAtWork && sinceMs > 0 ? Math.max(0, nowMs - sinceMs) : 0;
  const elapsedMs = workedMs + underWayMs;
  const perUnitMs = unitMs ?? (done > 0 && workedMs === 0 ? elapsedMs / done : undefined);
  // Of the one under way at most its whole time is over.
  const beganMs = unitMs === null ? 0 : Math.min(underWayMs, unitMs);
  const leftMs =
    planned === null || perUnitMs === undefined || done >= planned
      ? undefined
      : Math.max(0, (planned - done) * perUnitMs - beganMs);
  return {
    share: planned === null ? undefined : Math.min(1, done / planned),
    elapsedMs,
    leftMs,
    stall: isAtWork ? stallOf(pace, nowMs) : undefined,
  };
}

function stallOf({ stall, aliveAtMs, longestMs, unitMs }: RunPace, nowMs: number): string | undefined {
  if (stall !== null) return stall === "" ? "It says that it waits." : stall;
  const silentMs = nowMs - aliveAtMs;
  const patienceMs = longestMs === null ? firstMs : Math.max(leastMs, timesLonger * longestMs);
  if (aliveAtMs === 0 || silentMs <= patienceMs) return undefined;
  const usual = unitMs === null ? "" : ` A step takes about ${formatSpan(unitMs)}.`;
  return `It has written nothing for ${formatSpan(silentMs)}.${usual}`;
}
