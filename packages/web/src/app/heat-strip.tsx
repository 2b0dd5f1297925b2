// A histogram for every step, drawn as one picture: a column is a step, a row is a bin of the reward, the darker the more rollouts. It shares its cursor
// and its zoom with the charts above it.
import { memo, type ReactNode, useEffect, useRef, useState } from "react";
import UPlot from "uplot";
import type { HistogramSeries } from "./api-types.ts";
import { type Colours, useColours } from "./colours.tsx";
import { formatCount, formatPercent } from "./format.ts";
import { followWidth, frame, stepRange, zoomTo } from "./plot-options.ts";
import { saveCsv, savePng } from "./save-chart.ts";
import { useSeen } from "./use-seen.ts";
import type { Zoom } from "./use-zoom.ts";

interface StripProps {
  readonly title: string;
  readonly about: string;
  readonly series: HistogramSeries;
  readonly zoom: Zoom;
  /** The first step of the charts it belongs to, so that it lies under them. */
  readonly firstStep: number;
}
interface Cell {
  readonly column: number;
  readonly bin: number;
}

const height = 132;
const bins = 10;

export const HeatStrip = memo(function HeatStrip({ title, about, series, zoom, firstStep }: StripProps): ReactNode {
  const figure = useRef<HTMLElement>(null);
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const [cell, setCell] = useState<Cell>();
  const colours = useColours();
  const isSeen = useSeen(figure);
  const latest = useRef({ series, zoom, firstStep });
  latest.current = { series, zoom, firstStep };
  useEffect(() => {
    const element = holder.current;
    if (element === null || !isSeen) return undefined;
    const made = new UPlot(
      {
        ...frame({ width: element.clientWidth, height, isLog: false, colours }),
        scales: {
          x: {
            time: false,
            range: () => stepsOf(latest.current),
          },
          y: { range: () => [0, 1] },
        },
        series: [{}, { paths: () => null, points: { show: false } }],
        hooks: {
          setCursor: [(own) => setCell(cellAt(own))],
          setSelect: [(own) => zoomTo(own, (from, to) => latest.current.zoom.set(from, to))],
          draw: [(own) => drawCells(own, latest.current.series, colours)],
        },
      },
      toData(latest.current.series),
      element,
    );
    plot.current = made;
    const unfollow = followWidth(made, element);
    return () => {
      unfollow();
      made.destroy();
      plot.current = undefined;
    };
  }, [colours, isSeen]);
  const { range } = zoom;
  useEffect(() => plot.current?.setData(toData(series)), [series, range, firstStep]);

  return (
    <figure className="chart" ref={figure}>
      <figcaption>
        <h3 title={about}>{title}</h3>
        <span className="legend" aria-hidden="true">
          <span className="number">{cell === undefined ? "" : textOf(series, cell)}</span>
        </span>
        <span className="tools">
          <button type="button" onClick={() => saveCsv(title, tableOf(series))} title="Download the values">
            csv<span className="unheard"> of {title}</span>
          </button>
          <button
            type="button"
            onClick={() => plot.current && savePng(title, plot.current.ctx.canvas, [], colours)}
            title="Download the picture"
          >
            png<span className="unheard"> of {title}</span>
          </button>
        </span>
      </figcaption>
      <div
        ref={holder}
        className="plot"
        role="img"
        aria-label={`${title}: ${lastText(series)}`}
        data-points={series.from.length}
        style={{ height }}
        onDoubleClick={zoom.reset}
      />
    </figure>
  );
});

/** From the data itself: of a single step uPlot makes a range of its own, and the strip would not lie under its charts. */
function stepsOf({ series: { from, to }, zoom, firstStep }: Pick<StripProps, "series" | "zoom" | "firstStep">) {
  return stepRange(zoom.range, Math.min(from[0] ?? 0, firstStep), to.at(-1) ?? 1);
}

function toData({ from }: HistogramSeries): UPlot.AlignedData {
  return [[...from], from.map(() => null)] as UPlot.AlignedData;
}

function cellAt(plot: UPlot): Cell | undefined {
  const { idx, top } = plot.cursor;
  if (idx === null || idx === undefined || top === undefined || top < 0) return undefined;
  const bin = Math.floor(plot.posToVal(top, "y") * bins);
  return { column: idx, bin: Math.min(bins - 1, Math.max(0, bin)) };
}

/** Each column is as wide as to the next one, so that none is lost between pixels. */
function drawCells(plot: UPlot, { from, counts }: HistogramSeries, colours: Colours): void {
  const { ctx } = plot;
  const { left, top, width, height: tall } = plot.bbox;
  const row = tall / bins;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, tall);
  ctx.clip();
  ctx.fillStyle = colours.accent;
  for (const [column, own] of counts.entries()) {
    const at = from[column] ?? 0;
    const previous = from[column - 1] ?? at - ((from[column + 1] ?? at + 1) - at);
    const next = from[column + 1] ?? at + (at - previous);
    const start = Math.round(plot.valToPos((previous + at) / 2, "x", true));
    const end = Math.round(plot.valToPos((at + next) / 2, "x", true));
    const total = own.reduce((sum, count) => sum + count, 0);
    for (const [bin, count] of own.entries()) {
      if (count === 0) continue;
      // The square root keeps a single rollout among sixty visible.
      ctx.globalAlpha = 0.08 + 0.92 * Math.sqrt(count / total);
      const upper = Math.round(top + tall - (bin + 1) * row);
      ctx.fillRect(start, upper, Math.max(1, end - start), Math.round(top + tall - bin * row) - upper);
    }
  }
  ctx.restore();
}

function textOf({ from, to, counts }: HistogramSeries, { column, bin }: Cell): string {
  const own = counts[column] ?? [];
  const total = own.reduce((sum, count) => sum + count, 0);
  const [first = 0, last = 0] = [from[column], to[column]];
  const steps = first === last ? `step ${formatCount(first)}` : `steps ${formatCount(first)} to ${formatCount(last)}`;
  const count = own[bin] ?? 0;
  const share = total === 0 ? "" : `, ${formatPercent(count / total)}`;
  return `${steps}, reward ${(bin / bins).toFixed(1)} to ${((bin + 1) / bins).toFixed(1)}: ${formatCount(count)} of ${formatCount(total)}${share}`;
}

function lastText({ counts }: HistogramSeries): string {
  const last = counts.at(-1);
  if (last === undefined) return "no values yet";
  return `in the last step, from the least reward to the greatest, ${last.join(", ")} rollouts`;
}

function tableOf({ from, counts }: HistogramSeries) {
  const columns = Array.from({ length: bins }, (_, bin) => ({
    label: `${(bin / bins).toFixed(1)} to ${((bin + 1) / bins).toFixed(1)}`,
    values: counts.map((own) => own[bin] ?? 0),
  }));
  return { steps: from, columns };
}
