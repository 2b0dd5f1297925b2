// pass@k and pass^k over k: how often at least one of k attempts is right, and how often all of them are. The space between the two is what luck does.
import type { ReactNode } from "react";
import type { MetricRow } from "./api-types.ts";
import { formatNumber } from "./format.ts";

export interface PassLine {
  readonly name: string;
  readonly row: MetricRow;
}
export interface PassPoint {
  readonly k: number;
  readonly any: number;
  readonly all: number;
}

/** By k; those that the row has both of. */
export function passPoints(row: MetricRow): readonly PassPoint[] {
  const points = Object.keys(row).flatMap((key) => {
    const k = Number(/^pass@(\d+)$/.exec(key)?.[1] ?? Number.NaN);
    const [any, all] = [row[`pass@${k}`], row[`pass^${k}`]];
    return typeof any === "number" && typeof all === "number" ? [{ k, any, all }] : [];
  });
  return points.sort((a, b) => a.k - b.k);
}

const [width, height] = [460, 220];
const inner = { left: 38, right: 12, top: 10, bottom: 26 };

export function PassCurve({ lines }: { readonly lines: readonly PassLine[] }): ReactNode {
  const drawn = lines
    .map(({ name, row }) => ({ name, points: passPoints(row) }))
    .filter(({ points }) => points.length > 1);
  if (drawn.length === 0) return null;
  const sizes = [...new Set(drawn.flatMap(({ points }) => points.map(({ k }) => k)))].sort((a, b) => a - b);
  const most = Math.log2(Math.max(2, sizes.at(-1) ?? 2));
  const x = (k: number): number => inner.left + (Math.log2(k) / most) * (width - inner.left - inner.right);
  const y = (share: number): number => inner.top + (1 - share) * (height - inner.top - inner.bottom);
  const path = (points: readonly PassPoint[], of: "any" | "all"): string =>
    points.map((point) => `${x(point.k).toFixed(1)},${y(point[of]).toFixed(1)}`).join(" ");
  const last = drawn.map(({ name, points }) => {
    const end = points.at(-1);
    return `${name}: at least one of ${end?.k} ${formatNumber(end?.any)}, all of ${end?.k} ${formatNumber(end?.all)}`;
  });
  return (
    <figure className="pass-curve">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`Passes by k. ${last.join("; ")}`}>
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <g key={share}>
            <line className="grid" x1={inner.left} x2={width - inner.right} y1={y(share)} y2={y(share)} />
            <text x={inner.left - 6} y={y(share) + 4} textAnchor="end">
              {share}
            </text>
          </g>
        ))}
        {sizes.map((k) => (
          <text key={k} x={x(k)} y={height - 8} textAnchor="middle">
            {k}
          </text>
        ))}
        {drawn.map(({ name, points }, index) => (
          <g key={name} className={`series-${index % 6}`}>
            <polyline points={path(points, "any")} />
            <polyline className="all" points={path(points, "all")} />
            {points.map(({ k, any, all }) => (
              <g key={k}>
                <circle cx={x(k)} cy={y(any)} r="3">
                  <title>{`${name}: at least one of ${k} is right in ${formatNumber(any)}`}</title>
                </circle>
                <circle className="all" cx={x(k)} cy={y(all)} r="3">
                  <title>{`${name}: all of ${k} are right in ${formatNumber(all)}`}</title>
                </circle>
              </g>
            ))}
          </g>
        ))}
      </svg>
      <figcaption>
        {drawn.length > 1 &&
          drawn.map(({ name }, index) => (
            <span key={name} className={`entry series-${index % 6}`}>
              <svg viewBox="0 0 18 4" width="18" height="4" aria-hidden="true">
                <line x1="0" x2="18" y1="2" y2="2" />
              </svg>
              {name}
            </span>
          ))}
        <span className="faint">Over k: at least one of k attempts is right, and dashed, all of them.</span>
      </figcaption>
    </figure>
  );
}
