// updates.jsonl as columns, kept up to date by reading only what was appended. A row of a step that is there already takes back that step and
// everything after it: the run went on from an earlier checkpoint. Lists of numbers, such as histograms, are kept beside the columns.
import type { HistogramSeries, Series } from "../app/api-types.ts";
import { countsOf, endsOf, extremesOf, lowerBound, meansOf, type Stretch, toStretches } from "./decimate.ts";
import { BadLines } from "./bad-lines.ts";
import { parseObject, startPlace, tail, type TailPlace } from "./tail.ts";

const names: Readonly<Record<string, number>> = { NaN: Number.NaN, Infinity: Infinity, "-Infinity": -Infinity };
/** A longer list is no histogram, and nothing that is drawn. */
const longestList = 64;
/** Fewer say nothing about whether something moves. */
const fewRows = 3;

export interface SeriesOptions {
  /** At most about so many of each key. */
  readonly points: number;
  readonly from: number;
  readonly to: number;
  /** Also what smoothing starts from, where stretches are longer than a row. */
  readonly isSmoothed?: boolean;
}

export class MetricTable {
  readonly bad = new BadLines();
  readonly #folder: string;
  readonly #path: string;
  #place: TailPlace = startPlace;
  #steps: number[] = [];
  #columns = new Map<string, number[]>();
  /** Keys that had two values at least. */
  readonly #moved = new Set<string>();
  #lists = new Map<string, (readonly number[] | undefined)[]>();
  #refreshing: Promise<void> | undefined;

  constructor(folder: string, path: string) {
    this.#folder = folder;
    this.#path = path;
  }

  get byte(): number {
    return this.#place.byte;
  }
  get rows(): number {
    return this.#steps.length;
  }
  get lastStep(): number {
    return this.#steps.at(-1) ?? 0;
  }
  get keys(): readonly string[] {
    return [...this.#columns.keys()];
  }
  /** Keys whose values are lists of counts. */
  get histogramKeys(): readonly string[] {
    return [...this.#lists.keys()];
  }

  /** Keys that never moved, with their value: a number says it better than a line. */
  get still(): Readonly<Record<string, number>> {
    if (this.#steps.length < fewRows) return {};
    const entries = [...this.#columns].filter(([key, column]) => !this.#moved.has(key) && Number.isFinite(column[0]));
    return Object.fromEntries(entries.map(([key, column]) => [key, column[0] ?? 0]));
  }

  last(key: string): number | undefined {
    const value = this.#columns.get(key)?.[this.#steps.length - 1];
    return value === undefined || Number.isNaN(value) ? undefined : value;
  }

  /** Of the rows that count, as far as they have it. */
  sum(key: string): number {
    let total = 0;
    for (const value of this.#columns.get(key) ?? []) if (Number.isFinite(value)) total += value;
    return total;
  }

  /** Of the last rows that have it. */
  tail(key: string, most: number): readonly number[] {
    return (this.#columns.get(key) ?? []).slice(-most).filter((value) => Number.isFinite(value));
  }

  /** Callers at the same time share one reading. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  series(keys: readonly string[], options: SeriesOptions): Series {
    const stretches = this.#stretches(options, options.points);
    const isExact = stretches.every(([first, last]) => last - first === 1);
    const values: Record<string, (number | null)[]> = {};
    const means: Record<string, (number | null)[]> = {};
    for (const key of keys) {
      const column = this.#columns.get(key);
      if (column === undefined) continue;
      values[key] = extremesOf(column, stretches);
      if (options.isSmoothed === true && !isExact) means[key] = meansOf(column, stretches);
    }
    const known = { steps: endsOf(this.#steps, stretches), values, rows: this.#steps.length };
    return Object.keys(means).length === 0 ? known : { ...known, means };
  }

  histogram(key: string, options: SeriesOptions): HistogramSeries {
    // Twice the points: a stretch is one column of the picture, where a line takes two points of it.
    const stretches = this.#stretches(options, 2 * options.points);
    return {
      from: stretches.map(([first]) => this.#steps[first] ?? 0),
      to: stretches.map(([, last]) => this.#steps[last - 1] ?? 0),
      counts: countsOf(this.#lists.get(key) ?? [], stretches),
    };
  }

  #stretches({ from, to }: SeriesOptions, points: number): readonly Stretch[] {
    return toStretches(lowerBound(this.#steps, from), lowerBound(this.#steps, to + 1), points);
  }

  async #read(): Promise<void> {
    for await (const { lines, place, isReplaced } of tail(this.#folder, this.#path, this.#place)) {
      if (isReplaced) {
        this.#cut(0);
        this.bad.clear();
      }
      for (const line of lines) if (!this.#add(parseObject(line.text))) this.bad.add(line);
      this.#place = place;
    }
  }

  /** False when it is none. */
  #add(row: Record<string, unknown> | undefined): boolean {
    const step = row?.["step"];
    if (row === undefined || typeof step !== "number") return false;
    if (step <= (this.#steps.at(-1) ?? -1)) this.#cut(lowerBound(this.#steps, step));
    const index = this.#steps.length;
    this.#steps.push(step);
    for (const key in row) {
      if (key === "step") continue;
      const value = row[key];
      const number = typeof value === "string" ? names[value] : value;
      if (typeof number === "number") this.#put(key, index, number);
      else if (isCounts(value)) fill(this.#lists, key, index, undefined).push(value);
    }
    return true;
  }

  #put(key: string, index: number, value: number): void {
    const column = fill(this.#columns, key, index, Number.NaN);
    column.push(value);
    if (column[0] !== value) this.#moved.add(key);
  }

  #cut(rows: number): void {
    this.#steps.length = rows;
    if (rows === 0) this.#moved.clear();
    for (const columns of [this.#columns, this.#lists]) {
      for (const [key, column] of columns) {
        if (rows === 0) columns.delete(key);
        else column.length = Math.min(column.length, rows);
      }
    }
  }
}

/** The column of a key, as long as the rows before this one. */
function fill<Value>(columns: Map<string, Value[]>, key: string, length: number, gap: Value): Value[] {
  let column = columns.get(key);
  if (column === undefined) columns.set(key, (column = []));
  while (column.length < length) column.push(gap);
  return column;
}

function isCounts(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length <= longestList && value.every((one) => typeof one === "number");
}
