// A curve the size of a word.
import type { ReactNode } from "react";
import { formatNumber } from "./format.ts";

const [width, height] = [120, 22];

export function Sparkline({ values }: { readonly values: readonly number[] }): ReactNode {
  if (values.length < 2) return <span className="faint">–</span>;
  const [least, greatest] = [Math.min(...values), Math.max(...values)];
  const span = greatest - least || 1;
  const points = values.map((value, index) => {
    const x = 1 + (index / (values.length - 1)) * (width - 2);
    const y = height - 2 - ((value - least) / span) * (height - 4);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const label = `Reward from ${formatNumber(values[0])} to ${formatNumber(values.at(-1))}`;
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
