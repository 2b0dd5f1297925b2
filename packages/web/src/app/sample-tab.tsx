// Sample: what each batch was made of. Tokens, what was cut off, how old it was, and which groups were left out.
import { type ReactNode, useMemo } from "react";
import { ChartControls, useChartView } from "./chart-controls.tsx";
import { MetricCharts, StillFacts } from "./metric-chart.tsx";
import { inOrder } from "./metric-names.ts";
import type { TabProps } from "./run-tabs.tsx";
import { type ChartPlan, planCharts } from "./series.ts";
import { planGroups } from "./task-tab.tsx";

const order = [
  "sample/tokens",
  "sample/trained_tokens",
  "sample/truncated",
  "sample/age",
  "task/",
  "sample/without_effect",
  "sample/mean_length",
];

export function SampleTab({ run }: TabProps): ReactNode {
  const { metrics, environments } = run.detail;
  const view = useChartView();
  const plans = useMemo(() => planSamples(metrics, environments), [metrics, environments]);
  if (plans.length === 0) return <p className="notice">No batch is made yet.</p>;
  return (
    <>
      <ChartControls {...view} />
      <div className="grid">
        <MetricCharts run={run} plans={plans} {...view} />
      </div>
      <StillFacts run={run} plans={plans} />
    </>
  );
}

export function planSamples(metrics: readonly string[], environments: readonly string[]): readonly ChartPlan[] {
  const rest = planCharts(metrics, "sample", environments).filter(
    ({ title }) => !title.startsWith("sample/age/") && title !== "sample/seconds",
  );
  const ages = ["mean", "max"]
    .map((label, colour) => ({ label, key: `sample/age/${label}`, colour }))
    .filter(({ key }) => metrics.includes(key));
  const age = ages.length === 0 ? [] : [{ title: "sample/Staleness, updates", lines: ages }];
  const groups = planGroups(metrics);
  return inOrder([...rest, ...age, ...(groups === undefined ? [] : [groups])], order, ({ title }) =>
    title.replace("Staleness", "age"),
  );
}
