// The rows of a small stream, kept up to date by reading only what was appended. With a key, the last row of a key counts.
import { BadLines } from "./bad-lines.ts";
import { parseObject, startPlace, tail, type TailPlace } from "./tail.ts";

type Row = Readonly<Record<string, unknown>>;

export class StreamRows {
  readonly bad = new BadLines();
  readonly #folder: string;
  readonly #path: string;
  readonly #key: ((row: Row) => string) | undefined;
  readonly #most: number;
  readonly #keep: (row: Row) => Row;
  #place: TailPlace = startPlace;
  #rows = new Map<string, Row>();
  #count = 0;
  #refreshing: Promise<void> | undefined;

  /** `most`: older rows are forgotten. `keep`: what is remembered of a row. */
  constructor(
    folder: string,
    path: string,
    key?: (row: Row) => string,
    most = Infinity,
    keep: (row: Row) => Row = (row) => row,
  ) {
    this.#folder = folder;
    this.#path = path;
    this.#key = key;
    this.#most = most;
    this.#keep = keep;
  }

  get byte(): number {
    return this.#place.byte;
  }

  get rows(): readonly Row[] {
    return [...this.#rows.values()];
  }

  values(): Iterable<Row> {
    return this.#rows.values();
  }

  find(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  refresh(): Promise<void> {
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #read(): Promise<void> {
    for await (const { lines, place, isReplaced } of tail(this.#folder, this.#path, this.#place)) {
      if (isReplaced) this.#forget();
      for (const line of lines) {
        const row = parseObject(line.text);
        if (row === undefined) this.bad.add(line);
        else this.#add(row);
      }
      this.#place = place;
    }
  }

  /** The file was written anew. */
  #forget(): void {
    this.#rows = new Map();
    this.bad.clear();
  }

  #add(row: Row): void {
    this.#rows.set(this.#key?.(row) ?? String(this.#count++), this.#keep(row));
    if (this.#rows.size <= this.#most) return;
    const [oldest] = this.#rows.keys();
    if (oldest !== undefined) this.#rows.delete(oldest);
  }
}
