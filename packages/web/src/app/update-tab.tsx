// Update: how the policy moved, and where the time went. Of a run that is fine-tuned the loss comes first, with that of what was held out.
import { type ReactNode, useMemo } from "react";
import type { MetricRow } from "./api-types.ts";
import { ChartControls, useChartView } from "./chart-controls.tsx";
import type { ChartPoints } from "./chart-data.ts";
import { MetricChart, MetricCharts, StillFacts } from "./metric-chart.tsx";
import { inOrder } from "./metric-names.ts";
import type { TabProps } from "./run-tabs.tsx";
import { type ChartPlan, planCharts, planStack } from "./series.ts";

const order = [
  "update/loss",
  "update/kl",
  "update/sampler_kl",
  "update/ratio",
  "update/clip",
  "update/gradient_norm",
  "update/entropy",
  "update/tokens_per_second",
  "rollout/tokens_per_second",
  "step/",
  "update/learning_rate",
];

export function UpdateTab({ run }: TabProps): ReactNode {
  const { metrics, environments, evals, isSft, step } = run.detail;
  const view = useChartView();
  const plans = useMemo(() => planUpdates(metrics, environments), [metrics, environments]);
  const rest = useMemo(() => plans.filter(({ title }) => !(isSft && title === "update/loss")), [plans, isSft]);
  const points = useMemo(() => heldOutOf(evals), [evals]);
  if (step === 0 && points.length === 0) return <p className="notice">No update is made yet.</p>;
  return (
    <>
      <ChartControls {...view} hint={isSft && points.length > 0 ? "Points are the loss on what is held out." : ""} />
      {isSft && <MetricChart run={run} plan={trainedLoss} title="Loss" points={points} height={300} {...view} />}
      <div className="grid">
        <MetricCharts run={run} plans={rest} {...view} />
      </div>
      <StillFacts run={run} plans={rest} />
    </>
  );
}

const trainedLoss: ChartPlan = {
  title: "update/loss",
  lines: [{ label: "trained on", key: "update/loss", colour: 0 }],
};

export function planUpdates(metrics: readonly string[], environments: readonly string[]): readonly ChartPlan[] {
  const parts = ["rollout", "sample", "update", "eval"];
  const names = Object.fromEntries(parts.map((part) => [part, `${part}/seconds`]));
  const time = metrics.includes("step/seconds")
    ? planStack(metrics, "step/Seconds of a step, by part", names)
    : undefined;
  const own = planCharts(metrics, "update", environments).filter(
    ({ title }) => time === undefined || title !== "update/seconds",
  );
  const speed = metrics.includes("rollout/tokens_per_second")
    ? [{ title: "rollout/tokens_per_second", lines: [{ label: "all", key: "rollout/tokens_per_second" }] }]
    : [];
  return inOrder([...own, ...speed, ...(time === undefined ? [] : [time])], order, ({ title }) => title);
}

/** The loss on what is held out: of everything, and of each file where there are several. */
function heldOutOf(evals: readonly MetricRow[]): readonly ChartPoints[] {
  const names = new Set(evals.flatMap((row) => Object.keys(row).filter((key) => key.startsWith("loss/"))));
  return [...names].map((key, index) => ({
    label: key === "loss/mean" ? "held out" : `held out, ${key.slice("loss/".length)}`,
    colour: index + 1,
    isJoined: true,
    points: evals.flatMap((row) => (typeof row[key] === "number" ? [{ step: row.step, value: row[key] }] : [])),
  }));
}
