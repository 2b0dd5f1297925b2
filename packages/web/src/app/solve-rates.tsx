// How tasks spread between never solved and always solved: a bar for each tenth.
import type { ReactNode } from "react";
import { formatCount } from "./format.ts";

const [bar, gap, height] = [44, 4, 64];

export function SolveRates({ counts }: { readonly counts: readonly number[] }): ReactNode {
  const most = Math.max(1, ...counts);
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  const width = counts.length * (bar + gap) - gap;
  const said = counts.map((count, index) => `${index * 10} to ${index * 10 + 10} %: ${count}`).join(", ");
  return (
    <figure className="solve-rates">
      <figcaption className="faint">Tasks by how often they are solved, a reward of at least 0.5</figcaption>
      <svg viewBox={`0 0 ${width} ${height + 32}`} role="img" aria-label={`Tasks by solve rate. ${said}`}>
        {counts.map((count, index) => {
          const tall = count === 0 ? 0 : Math.max(2, (count / most) * height);
          const left = index * (bar + gap);
          return (
            <g key={left}>
              <rect className="tall" x={left} y={16 + height - tall} width={bar} height={tall} />
              <rect className="floor" x={left} y={16 + height} width={bar} height={1} />
              {count > 0 && (
                <text x={left + bar / 2} y={12 + height - tall} textAnchor="middle">
                  {formatCount(count)}
                </text>
              )}
            </g>
          );
        })}
        <text className="end" x="0" y={height + 30}>
          never
        </text>
        <text className="end" x={width / 2} y={height + 30} textAnchor="middle">
          half of the time
        </text>
        <text className="end" x={width} y={height + 30} textAnchor="end">
          always
        </text>
      </svg>
    </figure>
  );
}
