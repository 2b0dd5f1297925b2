// Reward: the curve of each environment with evaluations as points, how rewards were spread in every step, and each named reward by itself.
import { type ReactNode, useMemo } from "react";
import type { MetricRow } from "./api-types.ts";
import { ChartControls, useChartView } from "./chart-controls.tsx";
import type { ChartPoint } from "./chart-data.ts";
import { MetricChart, MetricCharts, StillFacts } from "./metric-chart.tsx";
import { RewardSpread } from "./reward-spread.tsx";
import type { TabProps } from "./run-tabs.tsx";
import { type ChartPlan, planCharts } from "./series.ts";

/** With more environments a legend of all their evaluations would be longer than the chart is high. */
const mostNamed = 4;

export function RewardTab({ run }: TabProps): ReactNode {
  const { metrics, environments, evals, histograms } = run.detail;
  const view = useChartView();
  const plans = useMemo(() => planCharts(metrics, "reward", environments), [metrics, environments]);
  const main = useMemo(() => mainPlan(plans), [plans]);
  const rest = useMemo(() => plans.filter((plan) => plan.title !== "reward/mean" && !isOnlyOne(plan, plans)), [plans]);
  const points = useMemo(
    () =>
      environments
        .map((env, colour) => ({
          label: `${env} eval`,
          colour,
          points: pointsOf(evals, env),
          isUnnamed: environments.length > mostNamed,
        }))
        .filter((one) => one.points.length > 0),
    [evals, environments],
  );
  const firstStep = Math.min(...points.flatMap((one) => one.points.map(({ step }) => step)), Infinity);
  if (run.detail.step === 0 && points.length === 0) return <p className="notice">No step is finished yet.</p>;
  return (
    <>
      <ChartControls {...view} hint={points.length > 0 ? "Points are evaluations with their 95 % interval." : ""} />
      <MetricChart run={run} plan={main} title="Reward" points={points} height={300} {...view} />
      <div className={histograms.length > 2 ? "grid" : "strips"}>
        {histograms.map((key) => (
          <RewardSpread key={key} run={run} metric={key} zoom={view.zoom} firstStep={firstStep} />
        ))}
      </div>
      {rest.length > 0 && <h2 className="apart">By reward</h2>}
      <div className="grid">
        <MetricCharts run={run} plans={rest} {...view} />
      </div>
      <StillFacts run={run} plans={rest} />
    </>
  );
}

/** Environments alone, where there are any: the mean over all of them says little. */
function mainPlan(plans: readonly ChartPlan[]): ChartPlan {
  const plan = plans.find(({ title }) => title === "reward/mean") ?? { title: "reward/mean", lines: [] };
  const own = plan.lines.filter(({ label }) => label !== "all");
  return own.length === 0 ? plan : { ...plan, lines: own };
}

/** An environment's only reward has the same curve as its mean: once is enough. */
function isOnlyOne({ lines }: ChartPlan, plans: readonly ChartPlan[]): boolean {
  return lines.every(
    ({ label }) =>
      label !== "all" &&
      plans.filter(({ title, lines: others }) => title !== "reward/mean" && others.some((one) => one.label === label))
        .length === 1,
  );
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
