// One stream as batches, from the place of delivery on. The file is the buffer: nothing is held here but the batch in hand, however far a sink lags.
// Unlike a follower it can say "that was the end of the file", which a sink has to know before it closes.
import { stat } from "node:fs/promises";
import { diskError, isMissing } from "../disk-error.ts";
import { openForReading, readLines } from "../lines.ts";
import { type BadRow, type LogRow, parseRow } from "../read-log.ts";
import { MetricRow } from "../rows.ts";
import { History } from "./history.ts";
import { metricsOf, seriesOf } from "./points.ts";
import type { Point, SinkStream } from "./sink.ts";

/** As many rows as one batch has at most. */
const mostRows = 200;

export interface FeedOptions {
  readonly path: string;
  readonly stream: SinkStream;
  /** Where delivery stands. */
  readonly fromByte: number;
  readonly onBadRow: (problem: BadRow) => void;
}

export interface FeedBatch {
  readonly points: readonly Point[];
  /** Where the next one begins. */
  readonly nextByte: number;
  /** How much of the file was known when superseded rows were left out: with it the same batch can be made again. */
  readonly seenByte: number;
}

export class Feed {
  readonly stream: SinkStream;
  readonly #path: string;
  readonly #onBadRow: (problem: BadRow) => void;
  #history: History | undefined;
  #byte: number;

  constructor({ path, stream, fromByte, onBadRow }: FeedOptions) {
    this.#path = path;
    this.stream = stream;
    this.#byte = fromByte;
    this.#onBadRow = onBadRow;
  }

  /** Undefined when there is nothing new. Moves on: a batch is given once. */
  async next(): Promise<FeedBatch | undefined> {
    const size = await sizeOf(this.#path);
    if (size < this.#byte) {
      // Another file took its place: its rows were never sent.
      this.#byte = 0;
      this.#history = undefined;
    }
    if (size <= this.#byte) return undefined;
    this.#history ??= await History.read(this.#path, this.#byte, size);
    return this.#take(this.#history, Infinity);
  }

  /** The batch that was begun before a kill, as it was: what has superseded its rows since changes nothing. */
  async repeat(untilByte: number, seenByte: number): Promise<FeedBatch | undefined> {
    const batch = await this.#take(await History.read(this.#path, this.#byte, seenByte), untilByte);
    this.#history = undefined;
    return batch;
  }

  /** Rows that are in the file and were not delivered. */
  async countFrom(fromByte: number): Promise<number> {
    const file = await openForReading(this.#path);
    let count = 0;
    try {
      if (file === undefined) return 0;
      for await (const lines of readLines(this.#path, file, { byte: fromByte, line: 1 })) count += lines.length;
      return count;
    } finally {
      await file?.close();
    }
  }

  async #take(history: History, untilByte: number): Promise<FeedBatch | undefined> {
    const { rows, nextByte } = await this.#read(untilByte);
    if (nextByte === this.#byte) return undefined;
    const points = this.#points(rows, history);
    this.#byte = nextByte;
    return { points, nextByte, seenByte: history.endByte };
  }

  #points(rows: readonly LogRow<MetricRow>[], history: History): readonly Point[] {
    return rows.flatMap(({ byte, value }) => {
      const series = seriesOf(value);
      if (history.isSuperseded(byte, value.step, series)) return [];
      const isRewind = history.take(value.step, series);
      return [{ step: value.step, metrics: metricsOf(this.stream, value), isRewind }];
    });
  }

  async #read(untilByte: number): Promise<{ readonly rows: readonly LogRow<MetricRow>[]; readonly nextByte: number }> {
    const rows: LogRow<MetricRow>[] = [];
    let nextByte = this.#byte;
    const file = await openForReading(this.#path);
    if (file === undefined) return { rows, nextByte };
    try {
      for await (const lines of readLines(this.#path, file, { byte: this.#byte, line: 1 })) {
        for (const raw of lines) {
          if (raw.nextByte > untilByte || rows.length >= mostRows) return { rows, nextByte };
          const row = parseRow<MetricRow>(this.#path, raw, MetricRow, this.#onBadRow);
          if (row !== undefined) rows.push(row);
          nextByte = raw.nextByte;
        }
      }
      return { rows, nextByte };
    } finally {
      await file.close();
    }
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw diskError(path, "read", error);
  }
}
