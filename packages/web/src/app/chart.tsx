// A chart of steps: lines, and evaluations as points with their intervals. Hover shows values on every chart at once, drag zooms, double click resets.
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import UPlot from "uplot";
import { formatLike } from "./format.ts";
import { smooth, toCsv } from "./series.ts";
import { colourOf } from "./theme.ts";

export interface ChartLine {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** Which colour of the palette. */
  readonly colour: number;
}
export interface ChartPoint {
  readonly step: number;
  readonly value: number;
  readonly low?: number;
  readonly high?: number;
}
export interface ChartPoints {
  readonly label: string;
  readonly points: readonly ChartPoint[];
  readonly colour: number;
}
interface ChartProps {
  readonly title: string;
  readonly steps: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly points?: readonly ChartPoints[];
  readonly smoothing?: number;
  readonly height?: number;
}

interface Drawn {
  readonly label: string;
  readonly colour: number;
  readonly kind: "line" | "raw" | "points";
  readonly values: readonly (number | null)[];
}

const palette = 6;
/** Its distribution is a const enum of uPlot, which a file by itself cannot name. */
const logarithmic = { distr: 3 } as object as UPlot.Scale;

export function Chart({ title, steps, lines, points = [], smoothing = 0, height = 150 }: ChartProps): ReactNode {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const [isLog, setLog] = useState(false);
  const [theme, setTheme] = useState(0);
  const [hovered, setHovered] = useState<number | null>(null);
  useEffect(() => {
    const onTheme = (): void => setTheme((count) => count + 1);
    const system = matchMedia("(prefers-color-scheme: dark)");
    document.addEventListener("hone-theme", onTheme);
    system.addEventListener("change", onTheme);
    return () => {
      document.removeEventListener("hone-theme", onTheme);
      system.removeEventListener("change", onTheme);
    };
  }, []);

  const { x, drawn } = useMemo(() => layOut(steps, lines, points, smoothing), [steps, lines, points, smoothing]);
  const shape = drawn.map(({ label, kind, colour }) => `${kind} ${colour} ${label}`).join("|");
  const latest = useRef({ x, drawn, points });
  latest.current = { x, drawn, points };

  useEffect(() => {
    const element = holder.current;
    if (element === null) return undefined;
    const made = new UPlot(
      options(element.clientWidth, height, latest.current.drawn, isLog, {
        onHover: setHovered,
        points: () => latest.current.points,
      }),
      toData(latest.current.x, latest.current.drawn),
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
    // The data goes in below; only another shape or look needs another plot.
  }, [shape, isLog, theme, height]);
  useEffect(() => plot.current?.setData(toData(x, drawn)), [x, drawn]);

  const legend = drawn.filter(({ kind }) => kind !== "raw");
  const valueAt = ({ values }: Drawn): number | null =>
    hovered === null ? lastOf({ values }) : (values[hovered] ?? null);
  const summary = legend.map((one) => `${one.label} ${formatLike(lastOf(one), one.values)}`);
  const name = legend.length === 0 ? `${title}: no values yet` : `${title}, last values: ${summary.join(", ")}`;
  return (
    <figure className="chart">
      <figcaption>
        <h3>{title}</h3>
        <span className="legend" aria-hidden="true">
          {hovered !== null && <span className="at">step {x[hovered]}</span>}
          {legend.map((one) => (
            <span key={`${one.kind} ${one.label}`} className="entry">
              <span className={`swatch colour-${one.colour % palette} ${one.kind}`} />
              {(legend.length > 1 || one.label !== "all") && <span className="label">{one.label}</span>}
              <span className="number">{formatLike(valueAt(one), one.values)}</span>
            </span>
          ))}
        </span>
        <span className="tools">
          <button type="button" aria-pressed={isLog} onClick={() => setLog(!isLog)} title="Logarithmic scale">
            log<span className="unheard"> scale of {title}</span>
          </button>
          <button type="button" onClick={() => save(`${title}.csv`, csvUrl(x, legend))} title="Download the values">
            csv<span className="unheard"> of {title}</span>
          </button>
          <button type="button" onClick={() => save(`${title}.png`, pngUrl(plot.current))} title="Download the picture">
            png<span className="unheard"> of {title}</span>
          </button>
        </span>
      </figcaption>
      <div ref={holder} className="plot" role="img" aria-label={name} data-points={x.length} style={{ height }} />
    </figure>
  );
}

function lastOf({ values }: Pick<Drawn, "values">): number | null {
  return values.findLast((value) => value !== null) ?? null;
}

function layOut(
  steps: readonly number[],
  lines: readonly ChartLine[],
  points: readonly ChartPoints[],
  smoothing: number,
): { readonly x: readonly number[]; readonly drawn: readonly Drawn[] } {
  const own = new Set(steps);
  const extra = points.flatMap((one) => one.points.map(({ step }) => step)).filter((step) => !own.has(step));
  const x = extra.length === 0 ? steps : [...new Set([...steps, ...extra])].sort((a, b) => a - b);
  const at = new Map(x.map((step, index) => [step, index]));
  const spread = (values: readonly (number | null)[]): (number | null)[] => {
    if (extra.length === 0) return [...values];
    const all = Array.from<number | null>({ length: x.length }).fill(null);
    for (const [index, step] of steps.entries()) all[at.get(step) ?? 0] = values[index] ?? null;
    return all;
  };
  const drawn: Drawn[] = [];
  for (const { label, colour, values } of lines) {
    const placed = spread(values);
    if (smoothing > 0) drawn.push({ label, colour, kind: "raw", values: placed });
    drawn.push({ label, colour, kind: "line", values: smooth(placed, smoothing) });
  }
  for (const { label, colour, points: own } of points) {
    const all = Array.from<number | null>({ length: x.length }).fill(null);
    for (const { step, value } of own) all[at.get(step) ?? 0] = value;
    drawn.push({ label, colour, kind: "points", values: all });
  }
  return { x, drawn };
}

function toData(x: readonly number[], drawn: readonly Drawn[]): UPlot.AlignedData {
  return [[...x], ...drawn.map(({ values }) => [...values])];
}

interface Hooks {
  readonly onHover: (index: number | null) => void;
  readonly points: () => readonly ChartPoints[];
}

function options(width: number, height: number, drawn: readonly Drawn[], isLog: boolean, hooks: Hooks): UPlot.Options {
  const [grid, faint] = [colourOf("--line-soft"), colourOf("--text-soft")];
  const font = "11px system-ui, sans-serif";
  const axis = { stroke: faint, font, grid: { stroke: grid, width: 1 }, ticks: { show: false } };
  return {
    width,
    height,
    legend: { show: false },
    padding: [6, 8, 0, 0],
    cursor: { sync: { key: "steps" }, points: { size: 5 }, drag: { x: true, y: false } },
    scales: { x: { time: false }, y: isLog ? logarithmic : {} },
    axes: [
      { ...axis, size: 22, gap: 3 },
      {
        ...axis,
        size: 48,
        gap: 4,
        values: (_plot, values) => values.map((value) => (value === null ? "" : tick(value))),
      },
    ],
    series: [
      {},
      ...drawn.map(({ kind, colour }): UPlot.Series => {
        const stroke = colourOf(`--series-${colour % palette}`);
        if (kind === "points") return { stroke, paths: () => null, points: { show: true, size: 7, fill: stroke } };
        const isRaw = kind === "raw";
        return { stroke, width: isRaw ? 1 : 1.5, alpha: isRaw ? 0.25 : 1, spanGaps: true, points: { show: false } };
      }),
    ],
    hooks: {
      setCursor: [({ cursor }) => hooks.onHover(cursor.idx ?? null)],
      draw: [(made) => drawIntervals(made, hooks.points())],
    },
  };
}

/** Whiskers: the 95 % interval of each evaluation. */
function drawIntervals(made: UPlot, points: readonly ChartPoints[]): void {
  const { ctx } = made;
  ctx.save();
  for (const { colour, points: own } of points) {
    ctx.strokeStyle = colourOf(`--series-${colour % palette}`);
    ctx.lineWidth = devicePixelRatio;
    for (const { step, low, high } of own) {
      if (low === undefined || high === undefined) continue;
      const x = made.valToPos(step, "x", true);
      ctx.beginPath();
      ctx.moveTo(x, made.valToPos(low, "y", true));
      ctx.lineTo(x, made.valToPos(high, "y", true));
      ctx.stroke();
    }
  }
  ctx.restore();
}

function tick(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6) return `${value / 1e6}M`;
  if (size >= 1e4) return `${value / 1e3}k`;
  return size !== 0 && size < 1e-3 ? value.toExponential(0) : String(Number(value.toPrecision(6)));
}

function csvUrl(x: readonly number[], drawn: readonly Drawn[]): string {
  const columns = drawn.map(({ label, kind, values }) => ({
    label: kind === "points" ? `${label} (eval)` : label,
    values,
  }));
  return URL.createObjectURL(new Blob([toCsv(x, columns)], { type: "text/csv" }));
}

function pngUrl(plot: UPlot | undefined): string {
  return plot?.ctx.canvas.toDataURL("image/png") ?? "";
}

function save(name: string, url: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = name.replaceAll("/", "-");
  link.click();
  if (url.startsWith("blob:")) setTimeout(() => URL.revokeObjectURL(url), 1000);
}
