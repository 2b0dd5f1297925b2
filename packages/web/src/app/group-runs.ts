// Several runs on one chart: which of them belong together, and the mean of each group with the band between its lowest and its highest run.
import type { RunSettings, Series } from "./api-types.ts";
import type { ChartLine } from "./chart-data.ts";

export interface ComparedRun {
  readonly name: string;
  readonly series: Series;
  readonly settings: RunSettings | undefined;
}

/** By a part of the name (a regular expression), by a value of the configuration, or each by itself. */
export type Grouping =
  | { readonly type: "none" }
  | { readonly type: "name"; readonly pattern: RegExp }
  | { readonly type: "config"; readonly key: string };

export function groupOf({ name, settings }: Pick<ComparedRun, "name" | "settings">, grouping: Grouping): string {
  switch (grouping.type) {
    case "none":
      return name;
    case "config":
      return `${grouping.key} ${settings?.config[grouping.key] ?? "not set"}`;
    case "name": {
      const found = grouping.pattern.exec(name);
      if (found === null) return name;
      return found.length > 1 ? found.slice(1).join(" ") || name : found[0] || name;
    }
  }
}

/** Keys of the configuration in which these runs differ. */
export function differingKeys(settings: readonly RunSettings[]): readonly string[] {
  const keys = new Set(settings.flatMap(({ config }) => Object.keys(config)));
  return [...keys].filter((key) => new Set(settings.map(({ config }) => config[key])).size > 1).sort();
}

export interface Overlay {
  readonly steps: readonly number[];
  readonly lines: readonly ChartLine[];
}

/** Runs have steps of their own: between two of them a run's value is on the straight line. */
export function overlay(runs: readonly ComparedRun[], metric: string, grouping: Grouping): Overlay {
  const steps = [...new Set(runs.flatMap(({ series }) => series.steps))].sort((a, b) => a - b);
  const groups = new Map<string, (readonly (number | null)[])[]>();
  for (const run of runs) {
    const label = groupOf(run, grouping);
    const values = placed(run.series, metric, steps);
    if (values.every((value) => value === null)) continue;
    const known = groups.get(label);
    if (known === undefined) groups.set(label, [values]);
    else known.push(values);
  }
  const lines = [...groups].map(([label, members], colour): ChartLine => {
    if (members.length === 1) return { label, colour, values: members[0] ?? [] };
    const across = steps.map((_, at) => members.map((values) => values[at] ?? null).filter((value) => value !== null));
    return {
      label: `${label} (${members.length})`,
      colour,
      values: across.map(mean),
      low: across.map((some) => (some.length === 0 ? null : Math.min(...some))),
      high: across.map((some) => (some.length === 0 ? null : Math.max(...some))),
    };
  });
  return { steps, lines };
}

/** A run's values on the steps of all; nothing before its first and after its last. */
export function placed(series: Series, metric: string, steps: readonly number[]): (number | null)[] {
  const known: { step: number; value: number }[] = [];
  for (const [index, step] of series.steps.entries()) {
    const value = series.values[metric]?.[index];
    if (value !== null && value !== undefined) known.push({ step, value });
  }
  let next = 0;
  return steps.map((step) => {
    while (next < known.length && (known[next]?.step ?? 0) < step) next++;
    const [before, after] = [known[next - 1], known[next]];
    if (after === undefined) return null;
    if (after.step === step) return after.value;
    if (before === undefined) return null;
    return before.value + ((after.value - before.value) * (step - before.step)) / (after.step - before.step);
  });
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
