// The live feed of a run. The browser reconnects by itself and says how far it was; rows that come again are dropped by their step.
import { useEffect, useState } from "react";
import type { EventRow, MetricRow, RunBrief } from "./api-types.ts";

export interface Feed {
  readonly rows: readonly MetricRow[];
  readonly evals: readonly MetricRow[];
  readonly events: readonly FedEvent[];
  /** What the run does; undefined before it was told. */
  readonly brief: RunBrief | undefined;
  readonly connection: "connecting" | "live" | "lost";
  /** Grows when what was loaded no longer holds: a file was replaced, or a step came again. */
  readonly version: number;
}

/** With where it ends in its file: an answer that was read later has it too. */
export interface FedEvent {
  readonly row: EventRow;
  readonly byte: number;
}

const none: Feed = { rows: [], evals: [], events: [], brief: undefined, connection: "connecting", version: 0 };
/** Rows come in bursts; the page is drawn once for each. */
const drawMs = 100;
const mostRows = 2000;
const mostEvents = 500;

export function useFeed(path: string | undefined, cursor: string | undefined): Feed {
  const [feed, setFeed] = useState(none);
  useEffect(() => {
    if (path === undefined || cursor === undefined) return undefined;
    const source = new EventSource(`/api${path}/feed?after=${cursor}`);
    let pending: ((feed: Feed) => Feed)[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = (change: (feed: Feed) => Feed): void => {
      pending.push(change);
      timer ??= setTimeout(() => {
        timer = undefined;
        const changes = pending;
        pending = [];
        setFeed((last) => changes.reduce((value, apply) => apply(value), last));
      }, drawMs);
    };
    source.addEventListener("open", () => later((last) => ({ ...last, connection: "live" })));
    source.addEventListener("error", () => later((last) => ({ ...last, connection: "lost" })));
    source.addEventListener("updates", ({ data }: MessageEvent<string>) => {
      const row = JSON.parse(data) as MetricRow;
      later((last) => addRow(last, row));
    });
    source.addEventListener("evals", ({ data }: MessageEvent<string>) => {
      const row = JSON.parse(data) as MetricRow;
      later((last) => ({ ...last, evals: [...last.evals, row] }));
    });
    source.addEventListener("events", ({ data, lastEventId }: MessageEvent<string>) => {
      const event = { row: JSON.parse(data) as EventRow, byte: Number(lastEventId.split("-")[2]) };
      later((last) => ({ ...last, events: [...last.events.slice(1 - mostEvents), event] }));
    });
    source.addEventListener("run", ({ data }: MessageEvent<string>) => {
      const brief = JSON.parse(data) as RunBrief;
      later((last) => ({ ...last, brief }));
    });
    source.addEventListener("reload", () => later((last) => ({ ...last, rows: [], version: last.version + 1 })));
    return () => {
      source.close();
      clearTimeout(timer);
    };
  }, [path, cursor]);
  useEffect(() => setFeed(none), [path]);
  return feed;
}

function addRow(feed: Feed, row: MetricRow): Feed {
  const last = feed.rows.at(-1)?.step ?? -1;
  if (row.step <= last || feed.rows.length >= mostRows) return { ...feed, rows: [], version: feed.version + 1 };
  return { ...feed, rows: [...feed.rows, row] };
}
