// What a chart is given, and how that becomes columns that can be drawn: evaluations are placed among the steps, bands beside their lines,
// and what is stacked is added up from below.
import { smooth } from "./series.ts";

type Values = readonly (number | null)[];

export interface ChartLine {
  readonly label: string;
  readonly values: Values;
  /** Which colour of the palette. */
  readonly colour: number;
  /** What smoothing starts from, where `values` are the extremes of stretches. */
  readonly means?: Values;
  /** A band around the line. */
  readonly low?: Values;
  readonly high?: Values;
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
  /** Neighbours are joined by a line. */
  readonly isJoined?: boolean;
  /** Its line has the same colour and says what it is called: the legend does not repeat it. */
  readonly isUnnamed?: boolean;
}

/** One column of the plot. */
export interface Drawn {
  readonly label: string;
  readonly colour: number;
  readonly kind: "line" | "raw" | "points" | "joined" | "area" | "low" | "high";
  /** What is said of it. */
  readonly values: Values;
  /** Where it is drawn, when that is elsewhere: on top of what it is stacked on. */
  readonly height?: Values;
  readonly isUnnamed?: boolean;
}

export interface Layout {
  readonly x: readonly number[];
  readonly drawn: readonly Drawn[];
}

export interface LayoutOptions {
  readonly steps: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly points: readonly ChartPoints[];
  readonly smoothing: number;
  readonly isStacked: boolean;
}

export function layOut({ steps, lines, points, smoothing, isStacked }: LayoutOptions): Layout {
  const { x, at, place } = placesOf(steps, points);
  const drawn = isStacked
    ? stack(lines, place)
    : [
        // Bands first: no band covers a line.
        ...lines.flatMap((line) => bandOf(line, smoothing, place)),
        ...lines.flatMap((line) => columnsOf(line, smoothing, place)),
      ];
  for (const { label, colour, points: some, isJoined, isUnnamed = false } of points) {
    const values = gaps(x.length);
    for (const { step, value } of some) values[at(step)] = value;
    drawn.push({ label, colour, kind: isJoined === true ? "joined" : "points", values, isUnnamed });
  }
  return { x, drawn };
}

type Place = (values: Values) => Values;

interface Places {
  readonly x: readonly number[];
  readonly at: (step: number) => number;
  /** Values of the steps, among those of the evaluations. */
  readonly place: Place;
}

function placesOf(steps: readonly number[], points: readonly ChartPoints[]): Places {
  if (points.length === 0) return { x: steps, at: () => 0, place: (values) => values };
  const x = [...new Set([...steps, ...points.flatMap((one) => one.points.map(({ step }) => step))])].sort(
    (a, b) => a - b,
  );
  const indices = new Map(x.map((step, index) => [step, index]));
  const at = (step: number): number => indices.get(step) ?? 0;
  const place: Place = (values) => {
    if (x.length === steps.length) return values;
    const all = gaps(x.length);
    for (const [index, step] of steps.entries()) all[at(step)] = values[index] ?? null;
    return all;
  };
  return { x: x.length === steps.length ? steps : x, at, place };
}

function bandOf({ label, colour, low, high }: ChartLine, smoothing: number, place: Place): Drawn[] {
  if (low === undefined || high === undefined) return [];
  return [
    { label, colour, kind: "high", values: place(smooth(high, smoothing)) },
    { label, colour, kind: "low", values: place(smooth(low, smoothing)) },
  ];
}

/** The smoothed line, over what it was made from. */
function columnsOf({ label, colour, values, means, low }: ChartLine, smoothing: number, place: Place): Drawn[] {
  if (smoothing === 0) return [{ label, colour, kind: "line", values: place(values) }];
  const line: Drawn = { label, colour, kind: "line", values: place(smooth(means ?? values, smoothing)) };
  return low === undefined ? [{ label, colour, kind: "raw", values: place(values) }, line] : [line];
}

/** The first line lies at the bottom. What is highest is drawn first, so that the lower ones cover it. */
function stack(lines: readonly ChartLine[], place: Place): Drawn[] {
  let below: readonly number[] = [];
  return lines
    .map(({ label, colour, values }): Drawn => {
      const placed = place(values);
      const height = placed.map((value, index) => (below[index] ?? 0) + (value ?? 0));
      below = height;
      return { label, colour, kind: "area", values: placed, height };
    })
    .toReversed();
}

function gaps(length: number): (number | null)[] {
  return Array.from<number | null>({ length }).fill(null);
}

/** What a legend names, in the order it was given. */
export function named(drawn: readonly Drawn[]): readonly Drawn[] {
  const said = drawn.filter(
    ({ kind, isUnnamed }) => kind !== "raw" && kind !== "low" && kind !== "high" && isUnnamed !== true,
  );
  return said[0]?.kind === "area" ? said.toReversed() : said;
}

export function lastOf(values: Values): number | null {
  return values.findLast((value) => value !== null) ?? null;
}
