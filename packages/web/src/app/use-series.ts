// The series of a chart: loaded when it is seen, then growing with the feed.
import { useEffect, useMemo, useState } from "react";
import type { Series } from "./api-types.ts";
import type { LiveRun } from "./run-tabs.tsx";
import { withRows } from "./series.ts";
import { rangeQuery, type Zoom } from "./use-zoom.ts";

export interface UseSeriesOptions {
  readonly keys: readonly string[];
  /** About as many as there are pixels: more cannot be seen. */
  readonly points: number;
  readonly isSmoothed: boolean;
  readonly isSeen: boolean;
  readonly zoom: Zoom;
}

const retryMs = 2000;

export function useSeries(
  { loader, rows }: LiveRun,
  { keys, points, isSmoothed, isSeen, zoom }: UseSeriesOptions,
): Series | undefined {
  const [loaded, setLoaded] = useState<Series>();
  const [attempt, setAttempt] = useState(0);
  const list = keys.join(",");
  const range = rangeQuery(zoom);
  useEffect(() => {
    if (!isSeen || list === "") return undefined;
    let isWanted = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    loader.load({ keys: list.split(","), points, range, isSmoothed }).then(
      (series) => {
        if (isWanted) setLoaded(series);
      },
      () => {
        if (isWanted) timer = setTimeout(() => setAttempt((count) => count + 1), retryMs);
      },
    );
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [loader, list, points, range, isSmoothed, isSeen, attempt]);
  return useMemo(() => {
    if (loaded === undefined || !isSeen) return loaded;
    const [from, to] = zoom.range ?? [0, Infinity];
    const inside = zoom.range === undefined ? rows : rows.filter(({ step }) => step >= from && step <= to);
    return withRows(loaded, inside, list.split(","));
  }, [loaded, rows, list, zoom, isSeen]);
}
