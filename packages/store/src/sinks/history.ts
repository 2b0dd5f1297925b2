// What a stream holds when a sink opens it: how far each series had come at the place of delivery, and which rows behind it were superseded.
// A run that goes back to a checkpoint writes steps again; of two rows of a series the later one counts, and with it goes all that followed the earlier.
// Memory is one entry per series and one per time the run went back, not one per row.
import { openForReading, readLines } from "../lines.ts";
import { seriesOf } from "./points.ts";

interface WentBack {
  readonly byte: number;
  readonly step: number;
  readonly series: string;
}

export class History {
  /** Up to here the file was read. */
  readonly endByte: number;
  readonly #wentBack: readonly WentBack[];
  readonly #latest = new Map<string, number>();

  private constructor(endByte: number, wentBack: readonly WentBack[]) {
    this.endByte = endByte;
    this.#wentBack = wentBack;
  }

  /** Reads the file once, from its beginning: delivery stands at `fromByte`, and what was not there yet at `endByte` is not looked at. */
  static async read(path: string, fromByte: number, endByte: number): Promise<History> {
    const wentBack: WentBack[] = [];
    const seen = new Map<string, number>();
    const history = new History(endByte, wentBack);
    for await (const row of briefRows(path)) {
      const { byte, step, series } = row;
      if (byte >= endByte) break;
      if (byte < fromByte) {
        history.take(step, series);
      } else {
        if (step <= (seen.get(series) ?? -1)) wentBack.push(row);
        seen.set(series, step);
      }
    }
    return history;
  }

  /** Whether a later row of the file took this one's place. Only rows that were there when it was read can have. */
  isSuperseded(byte: number, step: number, series: string): boolean {
    return this.#wentBack.some((back) => back.byte > byte && back.step <= step && back.series === series);
  }

  /** Notes a row that is delivered. True when the run has gone back: what came with this step or a later one no longer counts. */
  take(step: number, series: string): boolean {
    const isRewind = step <= (this.#latest.get(series) ?? -1);
    if (isRewind) {
      for (const [other, last] of this.#latest) this.#latest.set(other, Math.min(last, step - 1));
    }
    this.#latest.set(series, step);
    return isRewind;
  }
}

/** Step and environment alone, without the check that costs most. Rows that are none are passed over: the feed reports them. */
async function* briefRows(path: string): AsyncGenerator<WentBack> {
  const file = await openForReading(path);
  if (file === undefined) return;
  try {
    for await (const lines of readLines(path, file, { byte: 0, line: 1 })) {
      for (const { text, byte } of lines) {
        const row = parsed(text);
        const step = row?.["step"];
        if (row !== undefined && typeof step === "number") yield { byte, step, series: seriesOf(row) };
      }
    }
  } finally {
    await file.close();
  }
}

function parsed(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
