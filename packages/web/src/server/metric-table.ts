// updates.jsonl as columns, kept up to date by reading only what was appended. A row of a step that is there already takes back that step and
// everything after it: the run went on from an earlier checkpoint.
import type { Series } from "../app/api-types.ts";
import { parseObject, startPlace, tail, type TailPlace } from "./tail.ts";

const names: Readonly<Record<string, number>> = { NaN: Number.NaN, Infinity: Infinity, "-Infinity": -Infinity };

export class MetricTable {
  readonly #folder: string;
  readonly #path: string;
  #place: TailPlace = startPlace;
  #steps: number[] = [];
  #columns = new Map<string, number[]>();
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

  last(key: string): number | undefined {
    const value = this.#columns.get(key)?.[this.#steps.length - 1];
    return value === undefined || Number.isNaN(value) ? undefined : value;
  }

  /** Callers at the same time share one reading. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #read(): Promise<void> {
    for await (const { lines, place, isReplaced } of tail(this.#folder, this.#path, this.#place)) {
      if (isReplaced) this.#cut(0);
      for (const { text } of lines) this.#add(parseObject(text));
      this.#place = place;
    }
  }

  #add(row: Record<string, unknown> | undefined): void {
    const step = row?.["step"];
    if (row === undefined || typeof step !== "number") return;
    if (step <= (this.#steps.at(-1) ?? -1)) {
      const at = this.#steps.findIndex((known) => known >= step);
      this.#cut(at);
    }
    const index = this.#steps.length;
    this.#steps.push(step);
    for (const [key, value] of Object.entries(row)) {
      const number = typeof value === "string" ? names[value] : value;
      if (key === "step" || typeof number !== "number") continue;
      let column = this.#columns.get(key);
      if (column === undefined) this.#columns.set(key, (column = []));
      while (column.length < index) column.push(Number.NaN);
      column.push(number);
    }
  }

  #cut(rows: number): void {
    this.#steps.length = rows;
    for (const [key, column] of this.#columns) {
      if (rows === 0) this.#columns.delete(key);
      else column.length = Math.min(column.length, rows);
    }
  }

  /** At most about `points` of each key, over the steps from `from` to `to`. */
  series(keys: readonly string[], { points, from, to }: SeriesOptions): Series {
    const start = lowerBound(this.#steps, from);
    const end = lowerBound(this.#steps, to + 1);
    const stretches = toStretches(start, end, points);
    const steps = stretches.flatMap(([first, last]) => this.#steps.slice(first, last).filter(isEnd));
    const values: Record<string, (number | null)[]> = {};
    for (const key of keys) {
      const column = this.#columns.get(key);
      if (column !== undefined) values[key] = stretches.flatMap(([first, last]) => extremes(column, first, last));
    }
    return { steps, values, rows: this.#steps.length };
  }
}

export interface SeriesOptions {
  readonly points: number;
  readonly from: number;
  readonly to: number;
}

function isEnd(_step: number, index: number, all: readonly number[]): boolean {
  return index === 0 || index === all.length - 1;
}

/** Half-open. One row each where the rows are few, else `points / 2` stretches that give two points each. */
function toStretches(start: number, end: number, points: number): [number, number][] {
  const rows = end - start;
  const count = rows <= points ? rows : Math.max(1, Math.floor(points / 2));
  return Array.from({ length: Math.max(0, count) }, (_, index) => [
    start + Math.floor((index * rows) / count),
    start + Math.floor(((index + 1) * rows) / count),
  ]);
}

/** The least and the greatest in the order they came, so that a spike of one step is still seen. */
function extremes(column: readonly number[], first: number, last: number): (number | null)[] {
  if (last - first === 1) return [finite(column[first])];
  let [least, greatest] = [-1, -1];
  for (let at = first; at < last; at++) {
    const value = column[at];
    if (value === undefined || !Number.isFinite(value)) continue;
    if (least < 0 || value < (column[least] ?? 0)) least = at;
    if (greatest < 0 || value > (column[greatest] ?? 0)) greatest = at;
  }
  if (least < 0) return [null, null];
  return [finite(column[Math.min(least, greatest)]), finite(column[Math.max(least, greatest)])];
}

function finite(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}

function lowerBound(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
