// A mean with its 95 % interval, drawn between 0 and 1 so that a column of them can be compared by eye.
import type { ReactNode } from "react";
import type { MetricRow } from "./api-types.ts";

const width = 120;

export function Interval({ row }: { readonly row: MetricRow | null }): ReactNode {
  const mean = row?.["reward/mean"];
  const bounds = row?.["reward/ci95"];
  if (typeof mean !== "number") return <span className="faint">–</span>;
  const [low = mean, high = mean] = Array.isArray(bounds) ? (bounds as readonly number[]) : [];
  const at = (value: number): number => 3 + Math.min(1, Math.max(0, value)) * (width - 6);
  return (
    <span className="interval">
      <svg viewBox={`0 0 ${width} 12`} width={width} height="12" aria-hidden="true">
        <line className="axis" x1="3" x2={width - 3} y1="6" y2="6" />
        <line className="whisker" x1={at(low)} x2={at(high)} y1="6" y2="6" />
        <circle cx={at(mean)} cy="6" r="3" />
      </svg>
      <span className="number faint">
        {low.toFixed(3)} to {high.toFixed(3)}
      </span>
    </span>
  );
}
