// What holds for all charts of a page: how much they are smoothed, and which steps they show. Both are in the address.
import { type ReactNode, useMemo } from "react";
import { formatCount } from "./format.ts";
import type { ChartView } from "./metric-chart.tsx";
import { setQuery, useAddress } from "./router.tsx";
import { useKeys } from "./use-keys.ts";
import { useZoom } from "./use-zoom.ts";

export function useChartView(): ChartView {
  const { query } = useAddress();
  const zoom = useZoom();
  const smoothing = Math.min(0.99, Math.max(0, Number(query.get("smooth") ?? 0) || 0));
  return useMemo(() => ({ zoom, smoothing }), [zoom, smoothing]);
}

interface ControlsProps extends ChartView {
  readonly hint?: string;
  /** Areas that lie on each other are not smoothed. */
  readonly hasLines?: boolean;
  readonly children?: ReactNode;
}

export function ChartControls({ zoom, smoothing, hint = "", hasLines = true, children }: ControlsProps): ReactNode {
  const { range, reset } = zoom;
  useKeys(useMemo((): Record<string, () => void> => (range === undefined ? {} : { Escape: reset }), [range, reset]));
  return (
    <div className="controls">
      {hasLines && (
        <label>
          Smoothing
          <input
            type="range"
            min="0"
            max="0.98"
            step="0.02"
            value={smoothing}
            onChange={({ target }) => setQuery({ smooth: Number(target.value) === 0 ? "" : target.value })}
          />
          <span className="number">{smoothing.toFixed(2)}</span>
        </label>
      )}
      {children}
      {range === undefined ? (
        <span className="faint hint">
          {children === undefined ? "Drag over a chart to zoom. " : ""}
          {hint}
        </span>
      ) : (
        <button type="button" className="chip" onClick={reset} title="Show all steps (Escape, or double click)">
          steps {formatCount(range[0])} to {formatCount(range[1])} ×<span className="unheard">, show all steps</span>
        </button>
      )}
    </div>
  );
}
