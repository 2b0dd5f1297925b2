// One chart of metrics, loaded when it is seen; and a grid of them, with what never changed as plain numbers above it.
import { memo, type ReactNode, useCallback, useMemo, useRef } from "react";
import type { Series } from "./api-types.ts";
import { SeenChart } from "./chart.tsx";
import type { ChartLine, ChartPoints } from "./chart-data.ts";
import { formatCount, formatNumber } from "./format.ts";
import { titleOf } from "./metric-names.ts";
import type { LiveRun } from "./run-tabs.tsx";
import type { Table } from "./save-chart.ts";
import type { ChartPlan } from "./series.ts";
import { useSeen } from "./use-seen.ts";
import { useSeries } from "./use-series.ts";
import { rangeQuery, type Zoom } from "./use-zoom.ts";

export interface ChartView {
  readonly zoom: Zoom;
  readonly smoothing: number;
}
interface MetricChartProps extends ChartView {
  readonly run: LiveRun;
  readonly plan: ChartPlan;
  readonly title?: string;
  readonly isStacked?: boolean;
  readonly points?: readonly ChartPoints[];
  readonly height?: number;
}

/** Of a chart in a grid: about one for each of its pixels. */
export const smallPoints = 300;
/** Lines whose unchanging values are told one by one. */
const mostNamed = 4;
const noSteps: readonly number[] = [];
const noLines: readonly ChartLine[] = [];

export const MetricChart = memo(function MetricChart(props: MetricChartProps): ReactNode {
  const { run, plan, title = titleOf(plan.title), isStacked = false, points, height, zoom } = props;
  const smoothing = isStacked ? 0 : props.smoothing;
  const holder = useRef<HTMLDivElement>(null);
  const isSeen = useSeen(holder);
  const keys = useMemo(() => plan.lines.map(({ key }) => key), [plan]);
  const series = useSeries(run, {
    keys,
    points: height === undefined ? smallPoints : 1200,
    isSmoothed: smoothing > 0,
    isSeen,
    zoom,
  });
  const { environments } = run.detail;
  const lines = useMemo(
    () => (series === undefined ? noLines : toLines(series, plan.lines, environments)),
    [series, plan, environments],
  );
  const readAll = useCallback(async (): Promise<Table> => {
    const all = await run.loader.all(keys, rangeQuery(zoom));
    return { steps: all.steps, columns: toLines(all, plan.lines, environments) };
  }, [run.loader, keys, zoom, plan, environments]);
  return (
    <div ref={holder} className="cell">
      <SeenChart
        isSeen={isSeen}
        title={title}
        about={plan.lines.map(({ key }) => key).join(", ")}
        steps={series?.steps ?? noSteps}
        lines={lines}
        smoothing={smoothing}
        isStacked={isStacked}
        zoom={zoom}
        readAll={readAll}
        {...(points === undefined ? {} : { points })}
        {...(height === undefined ? {} : { height })}
      />
    </div>
  );
});

interface GridProps extends ChartView {
  readonly run: LiveRun;
  readonly plans: readonly ChartPlan[];
}

/** A curve that never moves is a number. */
export function StillFacts({ run, plans }: Pick<GridProps, "run" | "plans">): ReactNode {
  const still = plans.filter((plan) => isStill(run, plan));
  if (still.length === 0) return null;
  return (
    <dl className="facts still" aria-label="What has not changed">
      {still.map(({ title, lines }) => (
        <div key={title}>
          <dt title={lines.map(({ key }) => key).join(", ")}>{titleOf(title)}</dt>
          <dd className="number">{stillText(run, lines)}</dd>
        </div>
      ))}
    </dl>
  );
}

export function MetricCharts({ run, plans, ...view }: GridProps): ReactNode {
  return plans
    .filter((plan) => !isStill(run, plan))
    .map((plan) => (
      <MetricChart key={plan.title} run={run} plan={plan} isStacked={plan.isStacked === true} {...view} />
    ));
}

export function isStill({ detail: { still } }: LiveRun, { lines }: ChartPlan): boolean {
  return lines.every(({ key }) => still[key] !== undefined);
}

/** Once where all lines say the same, else of each. */
function stillText({ detail: { still } }: LiveRun, lines: ChartPlan["lines"]): string {
  const texts = lines.map(({ key }) => {
    const value = still[key] ?? 0;
    return Number.isInteger(value) ? formatCount(value) : formatNumber(value);
  });
  if (new Set(texts).size === 1) return texts[0] ?? "";
  if (lines.length > mostNamed) return manyText(still, lines);
  return lines.map(({ label }, index) => (label === "all" ? texts[index] : `${label} ${texts[index]}`)).join(", ");
}

/** Of a dozen environments the ends say enough. */
function manyText(still: Readonly<Record<string, number>>, lines: ChartPlan["lines"]): string {
  const values = lines.filter(({ label }) => label !== "all").map(({ key }) => still[key] ?? 0);
  const all = lines.find(({ label }) => label === "all");
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => formatCount(value));
  const each = least === most ? `${least} each` : `${least} to ${most} by environment`;
  return all === undefined ? each : `${formatCount(still[all.key] ?? 0)}, ${each}`;
}

function toLines(series: Series, lines: ChartPlan["lines"], environments: readonly string[]): readonly ChartLine[] {
  return lines.map(({ label, key, colour }) => {
    const means = series.means?.[key];
    return {
      label,
      values: series.values[key] ?? series.steps.map(() => null),
      colour: colour ?? (label === "all" ? (lines.length > 1 ? 5 : 0) : Math.max(0, environments.indexOf(label))),
      ...(means === undefined ? {} : { means }),
    };
  });
}
