// The live feed of a run: new rows of updates, evals and events, as server-sent events. Each event's id says how far the watcher is in each file, so
// a connection that breaks goes on where it was, also with a server that was restarted. A watcher that reads slowly is waited for: nothing is queued,
// it reads its rows from the file when it is ready. All watchers of a run share one look at the disk.
import { type FSWatcher, watch } from "node:fs";
import { runPaths } from "@hone/store";
import { startPlace, tail, type TailPlace } from "./tail.ts";

const streams = ["updates", "evals", "events"] as const;
const lookMs = 1000;

export interface FeedEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string;
}

/** Tells watchers when to look. One watch and one timer per run, while anyone watches. */
export class Pulse {
  readonly #folder: string;
  readonly #waiting = new Set<() => void>();
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #count = 0;
  #beats = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Grows with every beat: something that compares it misses none. */
  get beats(): number {
    return this.#beats;
  }

  enter(): void {
    if (this.#count++ > 0) return;
    this.#timer = setInterval(() => this.#beat(), lookMs);
    this.#timer.unref();
    try {
      this.#watcher = watch(this.#folder, () => this.#beat());
      this.#watcher.on("error", () => this.#watcher?.close());
    } catch {
      this.#watcher = undefined;
    }
  }

  leave(): void {
    if (--this.#count > 0) return;
    clearInterval(this.#timer);
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#beat();
  }

  /** Resolves at the next beat after `beats`, or when the signal says so. */
  next(beats: number, signal: AbortSignal): Promise<void> {
    if (this.#beats !== beats || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener("abort", done);
    });
  }

  #beat(): void {
    this.#beats++;
    for (const wake of this.#waiting) wake();
  }
}

/** Ends when the signal is aborted. The consumer sets the pace. */
export async function* follow(
  folder: string,
  pulse: Pulse,
  cursor: string,
  signal: AbortSignal,
): AsyncGenerator<FeedEvent> {
  const paths = runPaths(folder).streams;
  const places: TailPlace[] = parseCursor(cursor);
  pulse.enter();
  try {
    while (!signal.aborted) {
      const { beats } = pulse;
      for (const [index, stream] of streams.entries()) {
        for await (const { lines, place, isReplaced } of tail(folder, paths[stream], places[index] ?? startPlace)) {
          if (isReplaced) yield { event: "reload", data: "", id: cursorOf(places) };
          for (const { text, nextByte } of lines) {
            if (signal.aborted) return;
            places[index] = { ino: place.ino, byte: nextByte };
            // A carriage return would end the line of the event; in JSON it is only ever space.
            if (text !== "") yield { event: stream, data: text.replaceAll("\r", " "), id: cursorOf(places) };
          }
          places[index] = place;
        }
      }
      await pulse.next(beats, signal);
    }
  } finally {
    pulse.leave();
  }
}

function cursorOf(places: readonly TailPlace[]): string {
  return places.map(({ byte }) => byte).join("-");
}

function parseCursor(cursor: string): TailPlace[] {
  const bytes = /^\d{1,15}(-\d{1,15}){2}$/.test(cursor) ? cursor.split("-").map(Number) : [0, 0, 0];
  return bytes.map((byte) => ({ ino: 0, byte }));
}
