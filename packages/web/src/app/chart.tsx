// A chart of steps: lines, areas, bands, and evaluations as points with their intervals. Hover shows the values of a step on every chart at once, drag zooms
// all of them, double click shows everything again. A chart that is not on the screen draws nothing.
import { memo, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import UPlot from "uplot";
import { type ChartLine, type ChartPoints, type Drawn, lastOf, layOut, named } from "./chart-data.ts";
import { ChartLegend } from "./chart-legend.tsx";
import { useColours } from "./colours.tsx";
import { formatLike } from "./format.ts";
import { followWidth, plotOptions } from "./plot-options.ts";
import { saveCsv, savePng, type Table, tableOf } from "./save-chart.ts";
import { useSeen } from "./use-seen.ts";
import type { Zoom } from "./use-zoom.ts";

interface ChartProps {
  readonly title: string;
  /** The key in the file, or what the chart shows, for whoever rests on the title. */
  readonly about?: string;
  readonly steps: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly points?: readonly ChartPoints[];
  readonly smoothing?: number;
  readonly height?: number;
  /** Lines add up from below. */
  readonly isStacked?: boolean;
  readonly zoom?: Zoom;
  /** Every value there is, where the chart has only as many as it can show. */
  readonly readAll?: () => Promise<Table>;
}

const none: readonly ChartPoints[] = [];

/** Draws itself where it is seen. */
export function Chart(props: ChartProps): ReactNode {
  const cell = useRef<HTMLDivElement>(null);
  const isSeen = useSeen(cell);
  return (
    <div ref={cell} className="cell">
      <SeenChart {...props} isSeen={isSeen} />
    </div>
  );
}

interface SeenChartProps extends ChartProps {
  readonly isSeen: boolean;
}

/** For whoever knows already whether it is seen, since what it shows is loaded only then. */
export const SeenChart = memo(function SeenChart(props: SeenChartProps): ReactNode {
  const { title, about, steps, lines, points = none, smoothing = 0, height = 150, isStacked = false, zoom } = props;
  const { isSeen } = props;
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const hover = useRef<(index: number | null) => void>(undefined);
  const [isLog, setLog] = useState(false);
  const colours = useColours();
  const { x, drawn } = useMemo(
    () => layOut({ steps, lines, points, smoothing, isStacked }),
    [steps, lines, points, smoothing, isStacked],
  );
  const isEmpty = drawn.length === 0;
  const shape = drawn.map(({ label, kind, colour }) => `${kind} ${colour} ${label}`).join("|");
  const latest = useRef({ x, drawn, points, zoom });
  latest.current = { x, drawn, points, zoom };

  useEffect(() => {
    const element = holder.current;
    if (element === null || !isSeen || isEmpty) return undefined;
    const made = new UPlot(
      plotOptions(
        latest.current.drawn,
        { width: element.clientWidth, height, isLog, colours },
        {
          onHover: (index) => hover.current?.(index),
          onZoom: (from, to) => latest.current.zoom?.set(from, to),
          points: () => latest.current.points,
          range: () => latest.current.zoom?.range,
        },
      ),
      toData(latest.current.x, latest.current.drawn),
      element,
    );
    plot.current = made;
    const unfollow = followWidth(made, element);
    return () => {
      unfollow();
      made.destroy();
      plot.current = undefined;
    };
    // The data goes in below; only another shape or look needs another plot.
  }, [shape, isLog, colours, height, isSeen, isEmpty]);
  const range = zoom?.range;
  const isFirst = useRef(true);
  useEffect(() => {
    // What is made at the same time has this data already.
    if (!isFirst.current) plot.current?.setData(toData(x, drawn));
    isFirst.current = false;
  }, [x, drawn, range]);

  const legend = named(drawn);
  const summary = legend.map((one) => `${one.label} ${formatLike(lastOf(one.values), one.values)}`);
  const name = legend.length === 0 ? `${title}: no values yet` : `${title}, last values: ${summary.join(", ")}`;
  return (
    <figure className="chart">
      <figcaption>
        <h3 title={about}>{title}</h3>
        <ChartLegend x={x} entries={legend} hover={hover} />
        <span className="tools">
          {!isStacked && (
            <button type="button" aria-pressed={isLog} onClick={() => setLog(!isLog)} title="Logarithmic scale">
              log<span className="unheard"> scale of {title}</span>
            </button>
          )}
          <button type="button" onClick={() => void saveValues(props, x, drawn)} title="Download the values">
            csv<span className="unheard"> of {title}</span>
          </button>
          <button
            type="button"
            onClick={() => plot.current && savePng(title, plot.current.ctx.canvas, drawn, colours)}
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
        aria-label={name}
        data-points={x.length}
        style={{ height }}
        onDoubleClick={zoom?.reset}
      />
    </figure>
  );
});

async function saveValues(
  { title, readAll }: ChartProps,
  x: readonly number[],
  drawn: readonly Drawn[],
): Promise<void> {
  // Without the server there is still what is shown.
  const table = await readAll?.().catch(() => undefined);
  saveCsv(title, table ?? tableOf(x, drawn));
}

/** uPlot only reads what it is given. */
function toData(x: readonly number[], drawn: readonly Drawn[]): UPlot.AlignedData {
  return [x, ...drawn.map(({ values, height }) => height ?? values)] as UPlot.AlignedData;
}
