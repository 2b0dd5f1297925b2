// What a chart's lines are called, and their values: the last, or those of the step under the cursor. By itself, because it changes with every
// movement of the mouse and the chart does not.
import { memo, type ReactNode, type RefObject, useEffect, useMemo, useState } from "react";
import { palette } from "./colours.tsx";
import { type Drawn, lastOf } from "./chart-data.ts";
import { formatCount, formatNumber } from "./format.ts";

interface LegendProps {
  readonly x: readonly number[];
  readonly entries: readonly Drawn[];
  /** Called with the index of the step under the cursor. */
  readonly hover: RefObject<((index: number | null) => void) | undefined>;
}

export const ChartLegend = memo(function ChartLegend({ x, entries, hover }: LegendProps): ReactNode {
  const [hovered, setHovered] = useState<number | null>(null);
  useEffect(() => {
    hover.current = setHovered;
    return () => {
      hover.current = undefined;
    };
  }, [hover]);
  const columns = useMemo(
    () =>
      entries.map(({ values }) => ({
        last: lastOf(values),
        isWhole: values.every((value) => value === null || Number.isInteger(value)),
      })),
    [entries],
  );
  const step = hovered === null ? undefined : x[hovered];
  return (
    <>
      {step !== undefined && (
        <span className="at number" aria-hidden="true">
          step {formatCount(step)}
        </span>
      )}
      <span className="legend" aria-hidden="true">
        {entries.map(({ label, kind, colour, values }, index) => {
          const { last = null, isWhole = false } = columns[index] ?? {};
          const value = hovered === null ? last : (values[hovered] ?? null);
          return (
            <span key={`${kind} ${label}`} className="entry">
              <span className={`swatch colour-${colour % palette} ${kind} ${colour >= palette ? "dashed" : ""}`} />
              {(entries.length > 1 || label !== "all") && <span className="label">{label}</span>}
              <span className="number">{isWhole && value !== null ? formatCount(value) : formatSmall(value)}</span>
            </span>
          );
        })}
      </span>
    </>
  );
});

/** Three figures also where a number is small: 0.002 could be anything up to 0.0025. */
function formatSmall(value: number | null): string {
  const size = Math.abs(value ?? 0);
  return formatNumber(value, size >= 0.001 && size < 0.01 ? 5 : size >= 0.01 && size < 0.1 ? 4 : 3);
}
