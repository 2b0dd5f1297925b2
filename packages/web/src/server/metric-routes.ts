// What charts are drawn from: series of a run's metrics, histograms, how its rollouts went, how hard its tasks are, and the live feed.
// A chart asks for its own keys and for as many points as it has room for, never for all there is.
import type { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import * as z from "zod";
import { type FeedEvent, follow } from "./feed.ts";
import { indexed, within } from "./indexed.ts";
import type { MetricTable } from "./metric-table.ts";
import type { RunView } from "./run-view.ts";

export interface MetricRoutesOptions {
  readonly viewOf: (parameters: { readonly kind: string; readonly name: string }) => Promise<RunView>;
  /** Ends the live feeds. */
  readonly signal: AbortSignal;
}

const whole = z.coerce.number().int().min(0);
const range = { from: whole.default(0), to: whole.default(Number.MAX_SAFE_INTEGER - 1) };
const mostKeys = 200;
const freshMs = 10;
/** All rows of a few keys, to be downloaded. */
const mostPoints = 1_000_000;
const MetricsQuery = z.object({
  keys: z.string().max(20_000),
  points: whole.max(mostPoints).default(1200),
  means: z.stringbool().default(false),
  ...range,
});
const HistogramQuery = z.object({ key: z.string().max(500), points: whole.max(2000).default(300), ...range });
const TrendsQuery = z.object({ points: whole.min(1).max(2000).default(200), ...range });
/** Of each end of the ranking. */
const TasksQuery = z.object({ most: whole.min(1).max(5000).default(12) });

export function addMetricRoutes(api: Hono, { viewOf, signal }: MetricRoutesOptions): void {
  api.get("/:kind/:name/metrics", async (context) => {
    const view = await viewOf(context.req.param());
    const { keys, means, ...options } = MetricsQuery.parse(context.req.query());
    await known(view.updates);
    const asked = keys.split(",").slice(0, mostKeys);
    return context.json(view.updates.series(asked, { ...options, isSmoothed: means }));
  });

  api.get("/:kind/:name/histogram", async (context) => {
    const view = await viewOf(context.req.param());
    const { key, ...options } = HistogramQuery.parse(context.req.query());
    await known(view.updates);
    return context.json(view.updates.histogram(key, options));
  });

  api.get("/:kind/:name/trends", async (context) => {
    const view = await viewOf(context.req.param());
    const options = TrendsQuery.parse(context.req.query());
    await indexed(view.rollouts);
    return context.json(await view.trends.trends(view.rollouts, options));
  });

  api.get("/:kind/:name/tasks", async (context) => {
    const view = await viewOf(context.req.param());
    const { most } = TasksQuery.parse(context.req.query());
    await indexed(view.rollouts);
    return context.json(view.ranks.page(view.rollouts, most));
  });

  api.get("/:kind/:name/settings", async (context) =>
    context.json(await (await viewOf(context.req.param())).settings()),
  );

  api.get("/:kind/:name/feed", async (context) => {
    const view = await viewOf(context.req.param());
    const cursor = context.req.header("last-event-id") ?? context.req.query("after") ?? "";
    return streamSSE(context, async (stream) => {
      const ended = new AbortController();
      stream.onAbort(() => ended.abort());
      await stream.write(": hello\nretry: 1000\n\n");
      const until = AbortSignal.any([signal, ended.signal]);
      // Each write is waited for: a watcher that reads slowly holds up nobody but itself.
      for await (const events of follow(view.feed, cursor, until)) await stream.write(encode(events));
    });
  });
}

/** What is there is enough: rows that came just now are in the feed too, and in the next answer. */
async function known(table: MetricTable): Promise<void> {
  const reading = table.refresh();
  await (table.rows === 0 ? reading : within(reading, freshMs));
}

/** No event holds a line break: rows are JSON on one line. */
function encode(events: readonly FeedEvent[]): string {
  if (events.length === 0) return ":\n\n";
  return events.map(({ event, data, id }) => `event: ${event}\ndata: ${data}\nid: ${id}\n\n`).join("");
}
