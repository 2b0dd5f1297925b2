// From rows on disk to lines on a chart: which keys belong together, what has come since they were loaded, and how they are smoothed.
import type { MetricRow, Series } from "./api-types.ts";

/** One chart: a metric, and a line for each environment (or one line for all). */
export interface ChartPlan {
  readonly title: string;
  readonly lines: readonly { readonly label: string; readonly key: string }[];
}

/** `rollout/lower/turns` and `rollout/short/turns` are two lines of the chart "turns". */
export function planCharts(keys: readonly string[], prefix: string, environments: readonly string[]): ChartPlan[] {
  const charts = new Map<string, { label: string; key: string }[]>();
  for (const key of keys) {
    if (!key.startsWith(`${prefix}/`)) continue;
    const rest = key.slice(prefix.length + 1);
    const env = environments.find((name) => rest.startsWith(`${name}/`));
    const title = env === undefined ? rest : rest.slice(env.length + 1);
    const lines = charts.get(title) ?? [];
    lines.push({ label: env ?? "all", key });
    charts.set(title, lines);
  }
  return [...charts].map(([title, lines]) => {
    const own = lines.filter(({ label }) => label !== "all");
    // With a single environment "all" says the same again.
    return { title, lines: own.length === 1 && lines.length === 2 ? own : lines };
  });
}

/** What was loaded, then the rows that came since. */
export function withRows(series: Series, rows: readonly MetricRow[], keys: readonly string[]): Series {
  const last = series.steps.at(-1) ?? -1;
  const fresh = rows.filter(({ step }) => step > last);
  if (fresh.length === 0) return series;
  const values: Record<string, readonly (number | null)[]> = {};
  for (const key of keys) {
    const known = series.values[key] ?? series.steps.map(() => null);
    values[key] = [...known, ...fresh.map((row) => (typeof row[key] === "number" ? row[key] : null))];
  }
  return { steps: [...series.steps, ...fresh.map(({ step }) => step)], values, rows: series.rows + fresh.length };
}

/** Exponential moving average without the bias of its start. `weight` 0 changes nothing. */
export function smooth(values: readonly (number | null)[], weight: number): (number | null)[] {
  if (weight === 0) return [...values];
  let [sum, norm] = [0, 0];
  return values.map((value) => {
    if (value === null) return null;
    sum = sum * weight + (1 - weight) * value;
    norm = norm * weight + (1 - weight);
    return sum / norm;
  });
}

export function toCsv(
  steps: readonly number[],
  columns: readonly { label: string; values: readonly (number | null)[] }[],
): string {
  const quote = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const head = ["step", ...columns.map(({ label }) => quote(label))].join(",");
  const rows = steps.map((step, at) => [step, ...columns.map(({ values }) => values[at] ?? "")].join(","));
  return `${[head, ...rows].join("\n")}\n`;
}
