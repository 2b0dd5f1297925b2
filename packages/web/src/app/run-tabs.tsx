// The five tabs of a training run: task, rollout, reward, sample, update. Each shows the metrics of its prefix, one chart per metric.
import { type ReactNode, useMemo } from "react";
import { useAnswer } from "./api.ts";
import type { MetricRow, RunDetail, Series } from "./api-types.ts";
import { Chart, type ChartLine, type ChartPoint } from "./chart.tsx";
import { formatCount, formatLike } from "./format.ts";
import { RolloutList } from "./rollout-list.tsx";
import { setQuery, useAddress } from "./router.tsx";
import { type ChartPlan, planCharts, withRows } from "./series.ts";
import { TaskRanking } from "./task-ranking.tsx";

export interface LiveRun {
  readonly detail: RunDetail;
  /** Of the API. */
  readonly path: string;
  /** Rows that came after the page was opened. */
  readonly rows: readonly MetricRow[];
  readonly version: number;
}
interface TabProps {
  readonly run: LiveRun;
}

const points = 1200;

/** What was loaded, and grows with the feed. */
function useSeries({ path, rows, version }: LiveRun, keys: readonly string[]): Series | undefined {
  const list = keys.join(",");
  const asked = list === "" ? undefined : `${path}/metrics?points=${points}&keys=${encodeURIComponent(list)}`;
  const { value } = useAnswer<Series>(asked, { version });
  return useMemo(() => (value === undefined ? undefined : withRows(value, rows, list.split(","))), [value, rows, list]);
}

export function TaskTab({ run }: TabProps): ReactNode {
  const { outcomes, kind } = run.detail;
  const all = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  return (
    <>
      {all > 0 && (
        <dl className="facts" aria-label="What became of the groups">
          {Object.entries(outcomes).map(([outcome, count]) => (
            <div key={outcome}>
              <dt>{outcome.replaceAll("_", " ")}</dt>
              <dd>
                <span className="number">{formatCount(count)}</span>{" "}
                <span className="faint">of {formatCount(all)} groups</span>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {kind === "runs" && <LoadedGrid run={run} prefix="task" />}
      <TaskRanking run={run} />
    </>
  );
}

export function RolloutTab({ run }: TabProps): ReactNode {
  return (
    <>
      <RolloutList run={run} />
      <h2 className="apart">How they went</h2>
      <LoadedGrid run={run} prefix="rollout" />
    </>
  );
}

export function SampleTab({ run }: TabProps): ReactNode {
  return <LoadedGrid run={run} prefix="sample" />;
}

export function UpdateTab({ run }: TabProps): ReactNode {
  return <LoadedGrid run={run} prefix="update" />;
}

export function RewardTab({ run }: TabProps): ReactNode {
  const { metrics, environments, evals } = run.detail;
  const { query } = useAddress();
  const smoothing = Math.min(0.99, Math.max(0, Number(query.get("smooth") ?? 0)));
  const plans = useMemo(() => planCharts(metrics, "reward", environments), [metrics, environments]);
  const series = useSeries(run, keysOf(plans));
  const main = plans.find(({ title }) => title === "mean");
  const points = useMemo(
    () =>
      environments
        .map((env, colour) => ({ label: `${env} eval`, colour, points: pointsOf(evals, env) }))
        .filter((one) => one.points.length > 0),
    [evals, environments],
  );
  const lines = useMemo(() => {
    const own = main?.lines.filter(({ label }) => label !== "all") ?? [];
    return series === undefined ? [] : toLines(series, own.length === 0 ? (main?.lines ?? []) : own, environments);
  }, [series, main, environments]);
  if (run.detail.step === 0 && points.length === 0) return <p className="notice">No step is finished yet.</p>;
  const rest = plans.filter((plan) => plan !== main && !(series !== undefined && repeats(series, plan, main)));
  return (
    <>
      <div className="controls">
        <label>
          Smoothing
          <input
            type="range"
            min="0"
            max="0.98"
            step="0.02"
            value={smoothing}
            onChange={({ target }) => setQuery({ smooth: Number(target.value) === 0 ? "" : target.value })}
          />
          <span className="number">{smoothing.toFixed(2)}</span>
        </label>
        <span className="faint hint">
          Drag to zoom, double click to reset. Points are evaluations with their 95 % interval.
        </span>
      </div>
      {(series !== undefined || metrics.length === 0) && (
        <Chart
          title="Reward"
          steps={series?.steps ?? noSteps}
          lines={lines}
          points={points}
          smoothing={smoothing}
          height={300}
        />
      )}
      {series !== undefined && (
        <MetricGrid plans={rest} series={series} environments={environments} smoothing={smoothing} />
      )}
    </>
  );
}

const noSteps: readonly number[] = [];

/** An environment's only reward has the same curve as its mean: once is enough. */
function repeats(series: Series, { lines }: ChartPlan, main: ChartPlan | undefined): boolean {
  return lines.every(({ label, key }) => {
    const mean = main?.lines.find((line) => line.label === label);
    const [own, other] = [series.values[key], series.values[mean?.key ?? ""]];
    return own !== undefined && other !== undefined && own.every((value, at) => value === other[at]);
  });
}

function pointsOf(evals: readonly MetricRow[], env: string): readonly ChartPoint[] {
  return evals.flatMap((row): ChartPoint[] => {
    const value = row["reward/mean"];
    if (row["env"] !== env || typeof value !== "number") return [];
    const interval = row["reward/ci95"];
    const [low, high] = Array.isArray(interval) ? (interval as readonly number[]) : [];
    return [{ step: row.step, value, ...(low !== undefined && high !== undefined ? { low, high } : {}) }];
  });
}

interface LoadedProps extends TabProps {
  readonly prefix: string;
}

/** Every metric of a prefix. */
function LoadedGrid({ run, prefix }: LoadedProps): ReactNode {
  const { metrics, environments } = run.detail;
  const plans = useMemo(() => planCharts(metrics, prefix, environments), [metrics, prefix, environments]);
  const series = useSeries(run, keysOf(plans));
  if (plans.length === 0) return <p className="notice">Nothing is recorded here yet.</p>;
  if (series === undefined) return <p className="notice">Loading</p>;
  return <MetricGrid plans={plans} series={series} environments={environments} />;
}

interface GridProps {
  readonly plans: readonly ChartPlan[];
  readonly series: Series;
  readonly environments: readonly string[];
  readonly smoothing?: number;
}

function MetricGrid({ plans, series, environments, smoothing = 0 }: GridProps): ReactNode {
  const charts = useMemo(
    () => plans.map(({ title, lines }) => ({ title, lines: toLines(series, lines, environments) })),
    [plans, series, environments],
  );
  // A curve that never moves is a number.
  const constant = series.steps.length < 3 ? [] : charts.filter(({ lines }) => lines.every(isConstant));
  return (
    <>
      {constant.length > 0 && (
        <dl className="facts still" aria-label="What has not changed">
          {constant.map(({ title, lines }) => (
            <div key={title}>
              <dt>{title.replaceAll("_", " ")}</dt>
              <dd className="number">{constantText(lines)}</dd>
            </div>
          ))}
        </dl>
      )}
      <div className="grid">
        {charts
          .filter((chart) => !constant.includes(chart))
          .map(({ title, lines }) => (
            <Chart
              key={title}
              title={title.replaceAll("_", " ")}
              steps={series.steps}
              lines={lines}
              smoothing={smoothing}
            />
          ))}
      </div>
    </>
  );
}

function toLines(series: Series, lines: ChartPlan["lines"], environments: readonly string[]): readonly ChartLine[] {
  return lines.map(({ label, key }) => ({
    label,
    values: series.values[key] ?? [],
    colour: label === "all" ? (lines.length > 1 ? 5 : 0) : Math.max(0, environments.indexOf(label)),
  }));
}

function isConstant({ values }: ChartLine): boolean {
  return values.every((value) => value === values[0]);
}

function constantText(lines: readonly ChartLine[]): string {
  const texts = lines.map(({ values }) => formatLike(values[0] ?? null, values));
  return [...new Set(texts)].join(", ");
}

function keysOf(plans: readonly ChartPlan[]): readonly string[] {
  return plans.flatMap(({ lines }) => lines.map(({ key }) => key));
}
