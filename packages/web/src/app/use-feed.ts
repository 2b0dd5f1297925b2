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
/** Nobody looks: what came is drawn now and then. */
const hiddenMs = 5000;
/** After the server has refused, as it does while a run is away, the browser does not try again by itself. */
const retryMs = 3000;
const mostRows = 2000;
const mostEvents = 500;

export function useFeed(path: string | undefined, cursor: string | undefined): Feed {
  const [feed, setFeed] = useState(none);
  useEffect(() => {
    if (path === undefined || cursor === undefined) return undefined;
    let source: EventSource;
    let pending: ((feed: Feed) => Feed)[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    let retry: ReturnType<typeof setTimeout> | undefined;
    let reached = cursor;
    const later = (change: (feed: Feed) => Feed): void => {
      pending.push(change);
      timer ??= setTimeout(
        () => {
          timer = undefined;
          const changes = pending;
          pending = [];
          setFeed((last) => changes.reduce((value, apply) => apply(value), last));
        },
        document.hidden ? hiddenMs : drawMs,
      );
    };
    /** Lines that are no rows are passed on as they are, and passed over here. */
    const on = (type: string, apply: (feed: Feed, row: object, id: string) => Feed): void => {
      source.addEventListener(type, ({ data, lastEventId }: MessageEvent<string>) => {
        reached = lastEventId || reached;
        const row = parseRow(data);
        if (row !== undefined) later((last) => apply(last, row, lastEventId));
      });
    };
    const open = (): void => {
      source = new EventSource(`/api${path}/feed?after=${reached}`);
      source.addEventListener("open", () => later((last) => ({ ...last, connection: "live" })));
      source.addEventListener("error", () => {
        later((last) => ({ ...last, connection: "lost" }));
        if (source.readyState === EventSource.CLOSED) retry = setTimeout(open, retryMs);
      });
      on("updates", (last, row) => (isMetricRow(row) ? addRow(last, row) : last));
      on("evals", (last, row) => (isMetricRow(row) ? { ...last, evals: [...last.evals, row] } : last));
      on("events", (last, row, id) => {
        const event = { row: row as EventRow, byte: Number(id.split("-")[2]) };
        return { ...last, events: [...last.events.slice(1 - mostEvents), event] };
      });
      on("run", (last, brief) => ({ ...last, brief: brief as RunBrief }));
      source.addEventListener("reload", () => later((last) => ({ ...last, rows: [], version: last.version + 1 })));
    };
    open();
    return () => {
      source.close();
      clearTimeout(timer);
      clearTimeout(retry);
    };
  }, [path, cursor]);
  useEffect(() => setFeed(none), [path]);
  return feed;
}

function isMetricRow(row: object): row is MetricRow {
  return "step" in row && typeof row.step === "number";
}

function parseRow(data: string): object | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function addRow(feed: Feed, row: MetricRow): Feed {
  const last = feed.rows.at(-1)?.step ?? -1;
  if (row.step <= last || feed.rows.length >= mostRows) return { ...feed, rows: [], version: feed.version + 1 };
  return { ...feed, rows: [...feed.rows, row] };
}
