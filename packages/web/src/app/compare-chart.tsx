// Several runs on one chart: the mean reward of each that is ticked in the list.
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { ask } from "./api.ts";
import type { Series } from "./api-types.ts";
import { Chart } from "./chart.tsx";
import { pathOf } from "./router.tsx";

const key = "reward/mean";
const refreshMs = 4000;

export function CompareChart({ names }: { readonly names: readonly string[] }): ReactNode {
  const [series, setSeries] = useState<ReadonlyMap<string, Series>>(new Map());
  const list = JSON.stringify(names);
  useEffect(() => {
    const stop = new AbortController();
    const look = async (): Promise<void> => {
      const asked = (JSON.parse(list) as readonly string[]).map(async (name) => {
        const path = `${pathOf("runs", name)}/metrics?points=800&keys=${encodeURIComponent(key)}`;
        return [name, await ask<Series>(path, stop.signal)] as const;
      });
      const answered = await Promise.allSettled(asked);
      if (stop.signal.aborted) return;
      setSeries(new Map(answered.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))));
    };
    void look();
    const timer = setInterval(() => {
      if (!document.hidden) void look();
    }, refreshMs);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [list]);
  const { steps, lines } = useMemo(() => overlay(series), [series]);
  return <Chart title="Mean reward" steps={steps} lines={lines} height={260} />;
}

/** Runs have steps of their own: each line is placed on the steps of all. */
function overlay(series: ReadonlyMap<string, Series>) {
  const steps = [...new Set([...series.values()].flatMap((one) => one.steps))].sort((a, b) => a - b);
  const at = new Map(steps.map((step, index) => [step, index]));
  const lines = [...series].map(([label, one], colour) => {
    const values = Array.from<number | null>({ length: steps.length }).fill(null);
    for (const [index, step] of one.steps.entries()) values[at.get(step) ?? 0] = one.values[key]?.[index] ?? null;
    return { label, values, colour };
  });
  return { steps, lines };
}
