// What the other tabs of a run show first, asked for in one question while nobody waits: a tab that is chosen is drawn at once.
import { useEffect } from "react";
import type { RunDetail } from "./api-types.ts";
import { useChartView } from "./chart-controls.tsx";
import { isStill, smallPoints } from "./metric-chart.tsx";
import { planRollouts } from "./rollout-tab.tsx";
import type { LiveRun } from "./run-tabs.tsx";
import { planSamples } from "./sample-tab.tsx";
import type { ChartPlan } from "./series.ts";
import { planTasks } from "./task-tab.tsx";
import { planUpdates } from "./update-tab.tsx";
import { rangeQuery } from "./use-zoom.ts";

/** After what is looked at has been drawn. */
const restMs = 200;
/** So many charts of a tab are on the screen at first. */
const mostCharts = 9;

export function useLoadAhead(run: LiveRun | undefined): void {
  const { zoom, smoothing } = useChartView();
  const range = rangeQuery(zoom);
  const isSmoothed = smoothing > 0;
  const loader = run?.loader;
  const hasSteps = run !== undefined && run.detail.kind === "runs" && run.detail.step > 0;
  useEffect(() => {
    if (run === undefined || loader === undefined || !hasSteps) return undefined;
    const timer = setTimeout(() => {
      for (const plans of plansOf(run.detail)) {
        for (const { lines, isStacked } of plans.filter((plan) => !isStill(run, plan)).slice(0, mostCharts)) {
          const keys = lines.map(({ key }) => key);
          const question = { keys, points: smallPoints, range, isSmoothed: isSmoothed && isStacked !== true };
          // A tab that is chosen asks again for what did not come.
          loader.load(question).catch(() => undefined);
        }
      }
    }, restMs);
    return () => clearTimeout(timer);
    // Rows that come later are in the feed.
  }, [loader, hasSteps, range, isSmoothed]);
}

function plansOf({ metrics, environments, isSft }: RunDetail): readonly (readonly ChartPlan[])[] {
  const always = [planSamples(metrics, environments), planUpdates(metrics, environments)];
  return isSft ? always : [...always, planTasks(metrics, environments), planRollouts(metrics, environments)];
}
