// Task: what became of the groups, how many tasks are easy or hard, and which ones they are.
import { type ReactNode, useMemo } from "react";
import { ChartControls, useChartView } from "./chart-controls.tsx";
import { formatCount, formatPercent } from "./format.ts";
import { isStill, MetricCharts, StillFacts } from "./metric-chart.tsx";
import type { TabProps } from "./run-tabs.tsx";
import { type ChartPlan, planCharts, planStack } from "./series.ts";
import { outcomeName, outcomeReason } from "./outcome.ts";
import { TaskRanking } from "./task-ranking.tsx";

export function TaskTab({ run }: TabProps): ReactNode {
  const { outcomes, metrics, environments, kind } = run.detail;
  const view = useChartView();
  const all = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  const plans = useMemo(() => (kind === "runs" ? planTasks(metrics, environments) : []), [kind, metrics, environments]);
  return (
    <>
      {all > 0 && (
        <dl className="facts" aria-label="What became of the groups">
          {Object.entries(outcomes)
            .sort(([, a], [, b]) => b - a)
            .map(([outcome, count]) => (
              <div key={outcome}>
                <dt title={outcomeReason(outcome)}>{outcomeName(outcome)}</dt>
                <dd>
                  <span className="number">{formatCount(count)}</span>{" "}
                  <span className="faint">
                    {formatPercent(count / all)} of {formatCount(all)} groups
                  </span>
                </dd>
              </div>
            ))}
        </dl>
      )}
      {plans.length > 0 && (
        <>
          <ChartControls {...view} hasLines={plans.some((plan) => plan.isStacked !== true && !isStill(run, plan))} />
          <div className="grid">
            <MetricCharts run={run} plans={plans} {...view} />
          </div>
          <StillFacts run={run} plans={plans} />
        </>
      )}
      <TaskRanking run={run} />
    </>
  );
}

const outcomeNames = ["trained", "no_signal", "stale", "failed"];
/** Easy is green, hard is orange, wherever they are drawn. */
const poolColours = [2, 0, 1];

export function planTasks(metrics: readonly string[], environments: readonly string[]): readonly ChartPlan[] {
  const pools = environments.flatMap((env) => {
    const title = environments.length > 1 ? `task/Pools of ${env}, tasks` : "task/Difficulty pools, tasks";
    const of = (pool: string): string => `task/${env}/pool_${pool}`;
    const parts = { easy: of("easy"), normal: of("normal"), hard: of("hard") };
    return planStack(metrics, title, parts, poolColours) ?? [];
  });
  const groups = planGroups(metrics);
  const rest = planCharts(metrics, "task", environments).filter(
    ({ title }) => !title.startsWith("task/pool_") && !outcomeNames.includes(title.slice("task/".length)),
  );
  return [...pools, ...(groups === undefined ? [] : [groups]), ...rest];
}

/** What became of the groups of each update: trained on, or left out and why. */
export function planGroups(metrics: readonly string[]): ChartPlan | undefined {
  const parts = Object.fromEntries(outcomeNames.map((name) => [outcomeName(name), `task/${name}`]));
  return planStack(metrics, "task/Groups by outcome", parts, [0, 5, 3, 1]);
}
