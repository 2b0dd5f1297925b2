// Rollout: the list, then how they went: what ended them, lengths, turns, tool calls, time, and where they failed.
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { useAnswer } from "./api.ts";
import type { RolloutMeasure, RolloutTrends, Spread } from "./rollout-types.ts";
import { Chart, SeenChart } from "./chart.tsx";
import { ChartControls, useChartView } from "./chart-controls.tsx";
import type { ChartLine } from "./chart-data.ts";
import { type ChartView, MetricCharts, StillFacts } from "./metric-chart.tsx";
import { inOrder } from "./metric-names.ts";
import { RolloutList } from "./rollout-list.tsx";
import type { LiveRun, TabProps } from "./run-tabs.tsx";
import { type ChartPlan, joinParts, planCharts, planStack } from "./series.ts";
import { isActive } from "./state-mark.tsx";
import { useSeen } from "./use-seen.ts";
import { rangeQuery } from "./use-zoom.ts";

const boundaries = ["model", "tool", "sandbox", "reward", "environment"];

export function RolloutTab({ run }: TabProps): ReactNode {
  const { metrics, environments } = run.detail;
  const view = useChartView();
  const plans = useMemo(() => planRollouts(metrics, environments), [metrics, environments]);
  const [isTurn, setTurn] = useState(false);
  useEffect(() => {
    // The list is what was come for; what lies below it comes after.
    const timer = setTimeout(() => setTurn(true), listFirstMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      <RolloutList run={run} />
      {isTurn && (
        <>
          <h2 className="apart">How they went</h2>
          <ChartControls {...view} hint="Bands hold eight of ten rollouts." />
          <div className="grid">
            <Trends run={run} {...view} />
            <MetricCharts run={run} plans={plans} {...view} />
          </div>
          <StillFacts run={run} plans={plans} />
        </>
      )}
    </>
  );
}

const measures: readonly (readonly [RolloutMeasure, string])[] = [
  ["tokens", "Tokens written, per rollout"],
  ["turns", "Turns, per rollout"],
  ["toolCalls", "Tool calls, per rollout"],
  ["seconds", "Seconds, per rollout"],
];
/** The trainer's means of what is drawn with its spread already. */
const drawnAsSpread = ["rollout/output_tokens", "rollout/turns", "rollout/tool_calls", "rollout/mean_seconds"];

export function planRollouts(metrics: readonly string[], environments: readonly string[]): readonly ChartPlan[] {
  const failures = planStack(
    metrics,
    "rollout/failed by boundary",
    Object.fromEntries(boundaries.map((boundary) => [boundary, `rollout/failed/${boundary}`])),
  );
  const isDrawn = ({ title }: ChartPlan): boolean =>
    title === "rollout/seconds" ||
    title.startsWith("rollout/failed/") ||
    (failures !== undefined && title === "rollout/failed") ||
    (environments.length < 2 && drawnAsSpread.includes(title));
  const rest = planCharts(metrics, "rollout", environments).filter((plan) => !isDrawn(plan));
  const joined = joinParts(joinParts(rest, "rollout/tool_calls"), "rollout/tool_errors");
  const order = ["rollout/failed", "rollout/truncated", "rollout/output_tokens", "rollout/turns", "rollout/tool"];
  return inOrder(failures === undefined ? joined : [failures, ...joined], order, ({ title }) => title);
}

const noSteps: readonly number[] = [];
const refreshMs = 5000;
const listFirstMs = 200;

function Trends({ run, ...view }: ChartView & { readonly run: LiveRun }): ReactNode {
  const holder = useRef<HTMLDivElement>(null);
  const isSeen = useSeen(holder);
  const asked = isSeen ? `${run.path}/trends?points=160${rangeQuery(view.zoom)}` : undefined;
  const isChanging = isActive(run.detail.state);
  const { value: fresh } = useAnswer<RolloutTrends>(asked, { refreshMs: isChanging ? refreshMs : undefined });
  const last = useRef(fresh);
  last.current = fresh ?? last.current;
  const value = last.current;
  const charts = useMemo(() => (value === undefined ? [] : toCharts(value)), [value]);
  const stops = useMemo(() => (value === undefined ? [] : stopLines(value)), [value]);
  return (
    <>
      <div ref={holder} className="cell">
        <SeenChart
          title="What ended them, share"
          steps={value?.steps ?? noSteps}
          lines={stops}
          zoom={view.zoom}
          isStacked
          isSeen={isSeen}
        />
      </div>
      {charts.map(({ title, lines }) => (
        <Chart key={title} title={title} steps={value?.steps ?? noSteps} lines={lines} {...view} />
      ))}
    </>
  );
}

function toCharts({ measures: spreads }: RolloutTrends): readonly { title: string; lines: readonly ChartLine[] }[] {
  return measures
    .filter(([name]) => spreads[name].high.some((value) => value > 0))
    .map(([name, title]) => ({ title, lines: [lineOf(spreads[name])] }));
}

function lineOf({ low, middle, high }: Spread): ChartLine {
  return { label: "all", values: middle, low, high, colour: 0 };
}

function stopLines({ stops }: RolloutTrends): readonly ChartLine[] {
  return Object.entries(stops).map(([label, values], colour) => ({ label, values, colour }));
}
