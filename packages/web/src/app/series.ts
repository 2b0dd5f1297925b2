// From rows on disk to lines on a chart: which keys belong together, what has come since they were loaded, and how they are smoothed.
import type { HistogramSeries, MetricRow, Series } from "./api-types.ts";

/** One chart: a metric, and a line for each environment (or one line for all). */
export interface ChartPlan {
  /** The key without its environment: "rollout/turns". */
  readonly title: string;
  readonly lines: readonly PlannedLine[];
  /** Lines add up from below. */
  readonly isStacked?: boolean;
}
export interface PlannedLine {
  readonly label: string;
  readonly key: string;
  /** That of its environment unless given. */
  readonly colour?: number;
}

/** `rollout/lower/turns` and `rollout/short/turns` are two lines of the chart "rollout/turns". */
export function planCharts(keys: readonly string[], prefix: string, environments: readonly string[]): ChartPlan[] {
  const charts = new Map<string, PlannedLine[]>();
  for (const key of keys) {
    if (!key.startsWith(`${prefix}/`)) continue;
    const rest = key.slice(prefix.length + 1);
    const env = longestStart(environments, rest);
    const title = `${prefix}/${env === undefined ? rest : rest.slice(env.length + 1)}`;
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

/** Of "a" and "a/b" the second is meant by "a/b/mean". */
function longestStart(environments: readonly string[], rest: string): string | undefined {
  const fitting = environments.filter((name) => rest.startsWith(`${name}/`));
  return fitting.sort((a, b) => b.length - a.length)[0];
}

/** The parts of a whole, such as "task/lower/pool_easy", as one chart in which they lie on each other. */
export function planStack(
  keys: readonly string[],
  title: string,
  parts: Readonly<Record<string, string>>,
  colours: readonly number[] = [],
): ChartPlan | undefined {
  const lines = Object.entries(parts).flatMap(([label, key], index) =>
    keys.includes(key) ? [{ label, key, colour: colours[index] ?? index }] : [],
  );
  return lines.length === 0 ? undefined : { title, lines, isStacked: true };
}

/** "rollout/tool_calls/search" and "rollout/tool_calls/open" are two lines of one chart. */
export function joinParts(plans: readonly ChartPlan[], title: string): readonly ChartPlan[] {
  const parts = plans.filter((plan) => plan.title.startsWith(`${title}/`));
  if (parts.length < 2) return plans;
  const lines = parts.flatMap((plan) =>
    plan.lines.map(({ label, key }) => {
      const part = plan.title.slice(title.length + 1).replaceAll("_", " ");
      return { label: plan.lines.length > 1 ? `${part}, ${label}` : part, key };
    }),
  );
  const joined = { title: `${title} by part`, lines: lines.map((line, colour) => ({ ...line, colour })) };
  return [...plans.filter((plan) => !parts.includes(plan)), joined];
}

/** What was loaded, then the rows that came since. */
export function withRows(series: Series, rows: readonly MetricRow[], keys: readonly string[]): Series {
  const last = series.steps.at(-1) ?? -1;
  const fresh = rows.filter(({ step }) => step > last);
  if (fresh.length === 0) return series;
  const grown = (columns: Series["values"]): Series["values"] =>
    Object.fromEntries(
      keys.map((key) => {
        const known = columns[key] ?? series.steps.map(() => null);
        return [key, [...known, ...fresh.map((row) => (typeof row[key] === "number" ? row[key] : null))]];
      }),
    );
  return {
    steps: [...series.steps, ...fresh.map(({ step }) => step)],
    values: grown(series.values),
    rows: series.rows + fresh.length,
    ...(series.means === undefined ? {} : { means: grown(series.means) }),
  };
}

/** The same for histograms. */
export function withCounts(
  series: HistogramSeries,
  rows: readonly MetricRow[],
  metric: string,
  range: readonly [number, number] | undefined,
): HistogramSeries {
  const last = Math.max(series.to.at(-1) ?? -1, (range?.[0] ?? 0) - 1);
  const fresh = rows.filter(
    (row) => row.step > last && row.step <= (range?.[1] ?? Infinity) && Array.isArray(row[metric]),
  );
  if (fresh.length === 0) return series;
  const steps = fresh.map(({ step }) => step);
  return {
    from: [...series.from, ...steps],
    to: [...series.to, ...steps],
    counts: [...series.counts, ...fresh.map((row) => row[metric] as readonly number[])],
  };
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
