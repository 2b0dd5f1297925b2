// Rows to points. Names stay ours: `reward/<env>/mean` of an update, `eval/<env>/reward/mean` of an evaluation.
// Numbers are sent, the two ends of an interval as `<name>/low` and `<name>/high`; labels are not metrics and stay in the files.
import type { MetricRow, MetricValue } from "../rows.ts";
import type { SinkStream } from "./sink.ts";

export function metricsOf(stream: SinkStream, row: MetricRow): Readonly<Record<string, number>> {
  const series = seriesOf(row);
  const prefix = stream === "updates" ? "" : series === "" ? "eval/" : `eval/${series}/`;
  return Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => name !== "step")
      .flatMap(([name, value]) => numbers(`${prefix}${name}`, value)),
  );
}

/** Rows of one series have growing steps, unless the run went back. Updates are one; evaluations are one for each environment. */
export function seriesOf({ env }: Readonly<Record<string, unknown>>): string {
  return typeof env === "string" ? env : "";
}

function numbers(name: string, value: MetricValue): readonly (readonly [string, number])[] {
  if (typeof value === "number") return [[name, value]];
  if (typeof value === "string") return [];
  const ends = value.length === 2 ? ["low", "high"] : value.map((_item, index) => String(index));
  return value.map((item, index) => [`${name}/${ends[index] ?? index}`, item] as const);
}
