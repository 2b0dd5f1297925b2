// Several runs on one chart: a line for each that is ticked in the list, or the mean and the band of each group of them.
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { ask } from "./api.ts";
import type { RunItem, RunSettings, Series } from "./api-types.ts";
import { Chart } from "./chart.tsx";
import { ChartControls, useChartView } from "./chart-controls.tsx";
import { type ComparedRun, differingKeys, type Grouping, overlay } from "./group-runs.ts";
import { titleOf } from "./metric-names.ts";
import { pathOf, setQuery, useAddress } from "./router.tsx";
import { isActive } from "./state-mark.tsx";
import { rangeQuery } from "./use-zoom.ts";

const refreshMs = 4000;
/** Up to the last dash: "lower-seed1" and "lower-seed2" are two of "lower". */
const usualPattern = "^(.*)-";

export function CompareChart({ items }: { readonly items: readonly RunItem[] }): ReactNode {
  const { query } = useAddress();
  const view = useChartView();
  const names = items.map(({ name }) => name);
  const settings = useEach<RunSettings>(names, "settings", undefined);
  const usualMetric = items.every(({ isSft }) => isSft) ? "update/loss" : "reward/mean";
  const metric = query.get("metric") ?? usualMetric;
  const address = `metrics?points=600${rangeQuery(view.zoom)}&keys=${encodeURIComponent(metric)}`;
  const series = useEach<Series>(names, address, items.some(({ state }) => isActive(state)) ? refreshMs : undefined);
  const by = query.get("by") ?? "";
  const pattern = query.get("pattern") ?? usualPattern;
  const grouping = useMemo(() => groupingOf(by, pattern), [by, pattern]);
  const { steps, lines } = useMemo(() => {
    const runs = [...series].map(([name, one]): ComparedRun => ({ name, series: one, settings: settings.get(name) }));
    return overlay(runs, metric, grouping ?? { type: "none" });
  }, [series, settings, metric, grouping]);
  const metrics = [...new Set([usualMetric, metric, ...[...settings.values()].flatMap((one) => one.metrics)])];
  return (
    <section aria-label="Ticked runs on one chart" className="compare">
      <ChartControls {...view} hint={by === "" ? "Drag over the chart to zoom." : "Bands: lowest to highest run."}>
        <label className="choice">
          Metric
          <select value={metric} onChange={({ target }) => setQuery({ metric: target.value })}>
            {metrics.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label className="choice">
          Group by
          <select value={by} onChange={({ target }) => setQuery({ by: target.value })}>
            <option value="">nothing</option>
            <option value="name">name</option>
            {differingKeys([...settings.values()]).map((key) => (
              <option key={key} value={`config:${key}`}>
                {key}
              </option>
            ))}
          </select>
        </label>
        {by === "name" && (
          <label>
            <span className="unheard">Runs with the same match of this regular expression are a group</span>
            <input
              type="text"
              className="mono"
              value={pattern}
              spellCheck={false}
              aria-invalid={grouping === undefined}
              title="A regular expression: runs with the same match (of its brackets, if it has any) are a group"
              onChange={({ target }) => setQuery({ pattern: target.value })}
            />
            {grouping === undefined && <span className="bad">no regular expression</span>}
          </label>
        )}
      </ChartControls>
      <Chart
        title={metric === "reward/mean" ? "Mean reward" : titleOf(metric)}
        about={metric}
        steps={steps}
        lines={lines}
        height={280}
        {...view}
      />
    </section>
  );
}

/** Undefined when the pattern is none. */
function groupingOf(by: string, pattern: string): Grouping | undefined {
  if (by.startsWith("config:")) return { type: "config", key: by.slice("config:".length) };
  if (by !== "name") return { type: "none" };
  try {
    return { type: "name", pattern: new RegExp(pattern) };
  } catch {
    return undefined;
  }
}

/** The same question to each of several runs. Those that do not answer are left out. */
function useEach<Value>(
  names: readonly string[],
  question: string,
  refresh: number | undefined,
): ReadonlyMap<string, Value> {
  const [answers, setAnswers] = useState<ReadonlyMap<string, Value>>(new Map());
  const list = JSON.stringify(names);
  useEffect(() => {
    const stop = new AbortController();
    const look = async (): Promise<void> => {
      const asked = (JSON.parse(list) as readonly string[]).map(
        async (name) => [name, await ask<Value>(`${pathOf("runs", name)}/${question}`, stop.signal)] as const,
      );
      const answered = await Promise.allSettled(asked);
      if (stop.signal.aborted) return;
      setAnswers(new Map(answered.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))));
    };
    void look();
    const timer =
      refresh === undefined
        ? undefined
        : setInterval(() => {
            if (!document.hidden) void look();
          }, refresh);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [list, question, refresh]);
  return answers;
}
