// The live feed of a run: new rows of updates, evals and events, and what the run itself does, as server-sent events. Each event's id says how far
// the watcher is in each file, so a connection that breaks goes on where it was, also with a server that was restarted. A watcher that reads slowly
// is waited for: nothing is queued for it, it reads on when it is ready. All watchers of a run share one look at the disk.
import { type FSWatcher, watch } from "node:fs";
import { runPaths } from "@hone/store";
import type { RunBrief } from "../app/api-types.ts";
import { SharedTail } from "./shared-tail.ts";
import { tail, type TailLine, type TailPlace } from "./tail.ts";

const streams = ["updates", "evals", "events"] as const;
/** Where the system does not tell of changes, and for what changes without a file, such as a process that ended. */
const lookMs = 1000;
/** Changes come in bursts; one look is enough for each. */
const restMs = 50;
const briefMs = 300;
/** So that both ends notice when the other is gone. */
const quietMs = 15_000;

export interface FeedEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string;
}

export class RunFeed {
  readonly tails: readonly SharedTail[];
  readonly #folder: string;
  readonly #readBrief: () => Promise<RunBrief>;
  readonly #waiting = new Set<() => void>();
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #rest: NodeJS.Timeout | undefined;
  #briefRest: NodeJS.Timeout | undefined;
  #isBriefOld = false;
  #isLooking = false;
  #watchers = 0;
  #beats = 0;
  #brief = "";

  constructor(folder: string, brief: () => Promise<RunBrief>) {
    this.#folder = folder;
    this.#readBrief = brief;
    this.tails = streams.map((stream) => new SharedTail(folder, runPaths(folder).streams[stream]));
  }

  /** Grows with every change: whoever compares it misses none. */
  get beats(): number {
    return this.#beats;
  }
  /** What the run does, as JSON; "" before the first look. */
  get brief(): string {
    return this.#brief;
  }
  get isWatched(): boolean {
    return this.#watchers > 0;
  }

  enter(places: readonly TailPlace[]): void {
    for (const [index, place] of places.entries()) this.tails[index]?.startAt(place);
    if (this.#watchers++ > 0) return;
    this.#timer = setInterval(() => void this.#look(), lookMs);
    this.#timer.unref();
    try {
      this.#watcher = watch(this.#folder, () => this.#soon());
      this.#watcher.on("error", () => this.#watcher?.close());
    } catch {
      this.#watcher = undefined;
    }
    this.#soon();
  }

  leave(): void {
    if (--this.#watchers > 0) return;
    clearInterval(this.#timer);
    clearTimeout(this.#rest);
    this.#rest = undefined;
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#brief = "";
    for (const one of this.tails) one.stop();
  }

  /** Resolves when something changed since `beats`, when the signal says so, or when it has been quiet for long. */
  next(beats: number, signal: AbortSignal): Promise<void> {
    if (this.#beats !== beats || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(quiet);
        this.#waiting.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const quiet = setTimeout(done, quietMs);
      quiet.unref();
      this.#waiting.add(done);
      signal.addEventListener("abort", done);
    });
  }

  #soon(): void {
    this.#rest ??= setTimeout(() => {
      this.#rest = undefined;
      void this.#look();
    }, restMs);
    this.#rest.unref();
  }

  /** Rows are passed on with every look; what the run does is made up from a dozen files, and looked up a few times a second at most. */
  async #nextBrief(): Promise<string> {
    if (this.#briefRest !== undefined) {
      this.#isBriefOld = true;
      return this.#brief;
    }
    this.#isBriefOld = false;
    this.#briefRest = setTimeout(() => {
      this.#briefRest = undefined;
      if (this.#isBriefOld && this.#watchers > 0) this.#soon();
    }, briefMs);
    this.#briefRest.unref();
    return JSON.stringify(await this.#readBrief());
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return this.#soon();
    this.#isLooking = true;
    try {
      const changes = await Promise.all(this.tails.map((one) => one.look()));
      const brief = await this.#nextBrief();
      if (this.#watchers === 0 || (!changes.includes(true) && brief === this.#brief)) return;
      this.#brief = brief;
      this.#beats++;
      for (const wake of [...this.#waiting]) wake();
    } catch {
      // A folder that was moved away under the watchers; the next look may find it again.
    } finally {
      this.#isLooking = false;
    }
  }
}

/** Events in portions: one write each. An empty portion says only that the feed lives. Ends with the signal; the consumer sets the pace. */
export async function* follow(
  feed: RunFeed,
  cursor: string,
  signal: AbortSignal,
): AsyncGenerator<readonly FeedEvent[]> {
  const places: TailPlace[] = parseCursor(cursor);
  const events = (stream: string, index: number, { lines, ino }: { lines: readonly TailLine[]; ino: number }) =>
    lines.flatMap(({ text, nextByte }): FeedEvent[] => {
      places[index] = { ino, byte: nextByte };
      // A carriage return would end the line of the event; in JSON it is only ever space.
      return text === "" ? [] : [{ event: stream, data: text.replaceAll("\r", " "), id: cursorOf(places) }];
    });
  let told = "";
  feed.enter(places);
  try {
    while (!signal.aborted) {
      const { beats, brief } = feed;
      let isQuiet = true;
      for (const [index, stream] of streams.entries()) {
        const shared = feed.tails[index];
        const place = places[index];
        if (shared === undefined || place === undefined) continue;
        const near = shared.since(place);
        if (near !== undefined) {
          const fresh = events(stream, index, { lines: near.lines, ino: near.place.ino });
          if (fresh.length > 0) yield fresh;
          places[index] = near.place;
          isQuiet &&= fresh.length === 0;
          continue;
        }
        for await (const { lines, place: reached, isReplaced } of tail(shared.folder, shared.path, place)) {
          if (isReplaced) yield [{ event: "reload", data: "", id: cursorOf(places) }];
          const fresh = events(stream, index, { lines, ino: reached.ino });
          if (fresh.length > 0) yield fresh;
          if (signal.aborted) return;
          places[index] = reached;
          isQuiet = false;
        }
      }
      if (brief !== told && brief !== "") {
        told = brief;
        isQuiet = false;
        yield [{ event: "run", data: brief, id: cursorOf(places) }];
      }
      if (isQuiet) yield [];
      await feed.next(beats, signal);
    }
  } finally {
    feed.leave();
  }
}

function cursorOf(places: readonly TailPlace[]): string {
  return places.map(({ byte }) => byte).join("-");
}

function parseCursor(cursor: string): TailPlace[] {
  const bytes = /^\d{1,15}(-\d{1,15}){2}$/.test(cursor) ? cursor.split("-").map(Number) : [0, 0, 0];
  return bytes.map((byte) => ({ ino: 0, byte }));
}
