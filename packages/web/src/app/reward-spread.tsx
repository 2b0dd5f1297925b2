// The histogram of rewards of one environment over the steps: loaded when it is seen, then growing with the feed.
import { type ReactNode, useMemo, useRef } from "react";
import { useAnswer } from "./api.ts";
import type { HistogramSeries } from "./api-types.ts";
import { HeatStrip } from "./heat-strip.tsx";
import type { LiveRun } from "./run-tabs.tsx";
import { withCounts } from "./series.ts";
import { useSeen } from "./use-seen.ts";
import { rangeQuery, type Zoom } from "./use-zoom.ts";

interface SpreadProps {
  readonly run: LiveRun;
  /** "reward/lower/histogram". */
  readonly metric: string;
  readonly zoom: Zoom;
  readonly firstStep: number;
}

const nothing: HistogramSeries = { from: [], to: [], counts: [] };

export function RewardSpread({ run, metric, zoom, firstStep }: SpreadProps): ReactNode {
  const holder = useRef<HTMLDivElement>(null);
  const wasSeen = useRef(false);
  wasSeen.current = useSeen(holder) || wasSeen.current;
  const address = `${run.path}/histogram?points=300&key=${encodeURIComponent(metric)}${rangeQuery(zoom)}`;
  const { value } = useAnswer<HistogramSeries>(wasSeen.current ? address : undefined, { version: run.version });
  const last = useRef(nothing);
  last.current = value ?? last.current;
  const loaded = last.current;
  const series = useMemo(() => withCounts(loaded, run.rows, metric, zoom.range), [loaded, run.rows, metric, zoom]);
  const env = metric.split("/").slice(1, -1).join("/");
  const title = run.detail.histograms.length > 1 ? `Rewards of ${env}, step by step` : "Rewards, step by step";
  return (
    <div ref={holder} className="cell">
      <HeatStrip title={title} about={metric} series={series} zoom={zoom} firstStep={firstStep} />
    </div>
  );
}
