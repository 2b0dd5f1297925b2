// How uPlot draws one of our charts: axes, lines, areas, bands, points with intervals, the cursor that all charts share.
import type UPlot from "uplot";
import { colourAt, type Colours, palette } from "./colours.tsx";
import type { ChartPoints, Drawn } from "./chart-data.ts";

export interface PlotHooks {
  readonly onHover: (index: number | null) => void;
  readonly onZoom: (from: number, to: number) => void;
  readonly points: () => readonly ChartPoints[];
  /** The steps that are shown; undefined shows all. */
  readonly range: () => readonly [number, number] | undefined;
}

export interface PlotLook {
  readonly width: number;
  readonly height: number;
  readonly isLog: boolean;
  readonly colours: Colours;
}

/** Its distribution is a const enum of uPlot, which a file by itself cannot name. */
const logarithmic = { distr: 3 } as object as UPlot.Scale;
const cursorKey = "steps";
const font = "11px system-ui, sans-serif";

export function plotOptions(drawn: readonly Drawn[], look: PlotLook, hooks: PlotHooks): UPlot.Options {
  const { isLog, colours } = look;
  const isStacked = drawn.some(({ kind }) => kind === "area");
  return {
    ...frame(look),
    scales: {
      x: { time: false, range: (_plot, least, greatest) => stepRange(hooks.range(), least, greatest) },
      y: isLog ? logarithmic : isStacked ? { range: (_plot, _least, greatest) => [0, greatest || 1] } : {},
    },
    series: [{}, ...drawn.map((one) => seriesOf(one, colours))],
    bands: drawn.flatMap(({ kind, colour }, index) =>
      kind === "high" ? [{ series: [index + 1, index + 2], fill: colourAt(colours.bands, colour) }] : [],
    ),
    hooks: {
      setCursor: [({ cursor }) => hooks.onHover(cursor.idx ?? null)],
      setSelect: [(plot) => zoomTo(plot, hooks.onZoom)],
      draw: [(plot) => drawIntervals(plot, hooks.points(), colours)],
    },
  };
}

/** What lines and heat strips have in common. */
export function frame({ width, height, colours }: PlotLook) {
  const axis = { stroke: colours.faint, font, grid: { stroke: colours.grid, width: 1 }, ticks: { show: false } };
  return {
    width,
    height,
    legend: { show: false },
    padding: [6, 16, 0, 0] as UPlot.Padding,
    cursor: {
      sync: { key: cursorKey },
      points: { size: 6, width: 1.5 },
      drag: { x: true, y: false, setScale: false, dist: 4 },
      // A double click is ours: it resets the zoom of all charts.
      bind: { dblclick: () => null },
    } as UPlot.Cursor,
    axes: [
      { ...axis, size: 22, gap: 3, space: 50, incrs: wholeSteps, values: ticks },
      {
        ...axis,
        size: 50,
        gap: 4,
        space: 26,
        values: ticks,
      },
    ] as UPlot.Axis[],
  };
}

function ticks(_plot: UPlot, values: readonly (number | null)[]): string[] {
  return values.map((value) => (value === null ? "" : tick(value)));
}

/** There is no half step. */
const wholeSteps = Array.from({ length: 9 }, (_, power) => [1, 2, 5].map((lead) => lead * 10 ** power)).flat();

export function stepRange(
  range: readonly [number, number] | undefined,
  least: number | null,
  greatest: number | null,
): [number, number] {
  if (range !== undefined) return [range[0], range[1]];
  const [from, to] = [least ?? 0, greatest ?? 1];
  return from === to ? [from - 1, to + 1] : [from, to];
}

/** The plot stays as wide as what holds it, until the function that is given back is called. */
export function followWidth(plot: UPlot, holder: HTMLElement): () => void {
  const observer = new ResizeObserver(() => {
    const { clientWidth: width } = holder;
    if (plot.width !== width) plot.setSize({ width, height: plot.height });
  });
  observer.observe(holder);
  return () => observer.disconnect();
}

export function zoomTo(plot: UPlot, onZoom: PlotHooks["onZoom"]): void {
  const { left, width } = plot.select;
  if (width < 4) return;
  const [from, to] = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")].map(Math.round);
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  if (from !== undefined && to !== undefined && to > from) onZoom(Math.max(0, from), to);
}

function seriesOf({ kind, colour }: Drawn, colours: Colours): UPlot.Series {
  const stroke = colourAt(colours.series, colour);
  // A line of one value would not be seen.
  const line = { spanGaps: true, points: { show: isLonely, size: 6, fill: stroke } };
  switch (kind) {
    case "points":
      return { stroke, paths: () => null, points: { show: true, size: 7, fill: stroke } };
    case "joined":
      return { stroke, width: 1.5, spanGaps: true, points: { show: true, size: 6, fill: stroke } };
    case "area":
      return { ...line, stroke, width: 1, fill: colourAt(colours.areas, colour) };
    case "low":
    case "high":
      return { ...line, stroke: colourAt(colours.bands, colour), width: 0, points: { show: false } };
    case "raw":
      return { ...line, stroke, width: 1, alpha: 0.25, points: { show: false } };
    case "line":
      // The palette begins anew: dashes tell its second round from its first.
      return { ...line, stroke, width: 1.5, ...(colour >= palette ? { dash: [6, 3] } : {}) };
  }
}

function isLonely(plot: UPlot, series: number): boolean {
  let count = 0;
  for (const value of plot.data[series] ?? []) if (value !== null && value !== undefined && ++count > 1) return false;
  return count === 1;
}

/** Whiskers: the 95 % interval of each evaluation. */
function drawIntervals(plot: UPlot, points: readonly ChartPoints[], colours: Colours): void {
  const { ctx } = plot;
  const { left, width, top, height } = plot.bbox;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  for (const { colour, points: own } of points) {
    ctx.strokeStyle = colourAt(colours.series, colour);
    ctx.lineWidth = devicePixelRatio;
    for (const { step, low, high } of own) {
      if (low === undefined || high === undefined) continue;
      const x = plot.valToPos(step, "x", true);
      ctx.beginPath();
      ctx.moveTo(x, plot.valToPos(low, "y", true));
      ctx.lineTo(x, plot.valToPos(high, "y", true));
      ctx.stroke();
    }
  }
  ctx.restore();
}

function tick(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e9) return `${short(value / 1e9)}G`;
  if (size >= 1e6) return `${short(value / 1e6)}M`;
  if (size >= 1e4) return `${short(value / 1e3)}k`;
  return size !== 0 && size < 1e-3 ? value.toExponential(1).replace(".0e", "e").replace("-", "−") : short(value);
}

function short(value: number): string {
  return String(Number(value.toPrecision(6))).replace("-", "−");
}
