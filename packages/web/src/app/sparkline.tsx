// A curve the size of a word.
import type { ReactNode } from "react";
import { formatNumber } from "./format.ts";

const height = 22;

interface SparklineProps {
  readonly values: readonly number[];
  readonly width?: number;
  /** Values that are drawn at the foot and at the top, unless there are lower or higher ones. */
  readonly scale?: readonly [number, number];
  /** What it is a curve of. */
  readonly name?: string;
}

export function Sparkline({ values, width = 120, scale, name = "Reward" }: SparklineProps): ReactNode {
  if (values.length < 2) return <span className="faint">–</span>;
  const [least, greatest] = [Math.min(...values, ...(scale ?? [])), Math.max(...values, ...(scale ?? []))];
  const span = greatest - least || 1;
  const points = values.map((value, index) => {
    const x = 1 + (index / (values.length - 1)) * (width - 2);
    const y = height - 2 - ((value - least) / span) * (height - 4);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const label = `${name} from ${formatNumber(values[0])} to ${formatNumber(values.at(-1))}`;
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={label}
    >
      <polyline points={points.join(" ")} />
    </svg>
  );
}
