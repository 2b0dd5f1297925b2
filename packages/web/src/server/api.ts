// The questions the page asks, as JSON. Every answer is made from the files of a run directory; the only thing ever written is a run's `stop` file.
import { join } from "node:path";
import { HoneError } from "@hone/core";
import { listRuns } from "@hone/store";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import * as z from "zod";
import type { RunItem, RunKind } from "../app/api-types.ts";
import { follow } from "./feed.ts";
import { askToStop, resolveInside } from "./inside.ts";
import { readRollout, type TokenTexts } from "./read-rollout.ts";
import type { RolloutIndex } from "./rollout-index.ts";
import { queryRollouts } from "./rollout-query.ts";
import { rankTasks } from "./rank-tasks.ts";
import type { RunViews } from "./run-views.ts";

export interface ApiOptions {
  readonly root: string;
  readonly views: RunViews;
  readonly tokenTexts: TokenTexts | undefined;
  readonly now: () => number;
  /** Ends the live feeds. */
  readonly signal: AbortSignal;
}

const Kind = z.enum(["runs", "evals"]);
const whole = z.coerce.number().int().min(0);
const MetricsQuery = z.object({
  keys: z.string().max(20_000),
  points: whole.max(20_000).default(1200),
  from: whole.default(0),
  to: whole.default(Number.MAX_SAFE_INTEGER - 1),
});
const RolloutsQuery = z.object({
  offset: whole.default(0),
  limit: whole.min(1).max(500).default(100),
  sort: z.enum(["newest", "oldest", "reward", "-reward", "-tokens", "-duration"]).default("newest"),
  search: z.string().max(500).default(""),
  env: z.string().exactOptional(),
  step: whole.exactOptional(),
  stop: z.string().exactOptional(),
  task: z.string().exactOptional(),
  kind: z.enum(["failed", "truncated", "rewarded", "unrewarded"]).exactOptional(),
});
/** How long a request may wait for files that are read for the first time, and for those that may have grown; and how long it may search. */
const firstIndexMs = 400;
const indexMs = 60;
const searchMs = 400;
/** Of each end of the ranking. */
const TasksQuery = z.object({ most: whole.min(1).max(5000).default(12) });

export function createApi({ root, views, tokenTexts, now, signal }: ApiOptions): Hono {
  const api = new Hono();

  api.get("/list/:kind", async (context) => {
    const kind = Kind.parse(context.req.param("kind"));
    return context.json(await listKind(kind));
  });

  api.get("/:kind/:name", async (context) => context.json(await (await viewOf(context.req.param())).detail()));

  api.get("/:kind/:name/metrics", async (context) => {
    const view = await viewOf(context.req.param());
    const { keys, ...options } = MetricsQuery.parse(context.req.query());
    await view.updates.refresh();
    return context.json(view.updates.series(keys.split(",").slice(0, 200), options));
  });

  api.get("/:kind/:name/rollouts", async (context) => {
    const view = await viewOf(context.req.param());
    const { env, step, stop, task, kind, ...query } = RolloutsQuery.parse(context.req.query());
    const filter = {
      ...(env === undefined ? {} : { env }),
      ...(step === undefined ? {} : { step }),
      ...(stop === undefined ? {} : { stop }),
      ...(task === undefined ? {} : { taskId: task }),
      ...(kind === undefined ? {} : { kind }),
    };
    await indexed(view.rollouts);
    return context.json(await queryRollouts(view.folder, view.rollouts, { ...query, filter }, { searchMs, now }));
  });

  api.get("/:kind/:name/tasks", async (context) => {
    const view = await viewOf(context.req.param());
    await indexed(view.rollouts);
    return context.json(rankTasks(view.rollouts, TasksQuery.parse(context.req.query()).most));
  });

  api.get("/:kind/:name/rollouts/:step/:id", async (context) => {
    const view = await viewOf(context.req.param());
    const step = whole.parse(context.req.param("step"));
    const about = await view.context();
    const options = { index: view.rollouts, step, id: context.req.param("id"), tokenTexts, ...about };
    return context.json(await readRollout(view.folder, options));
  });

  api.get("/:kind/:name/feed", async (context) => {
    const view = await viewOf(context.req.param());
    const cursor = context.req.header("last-event-id") ?? context.req.query("after") ?? "";
    return streamSSE(context, async (stream) => {
      const ended = new AbortController();
      stream.onAbort(() => ended.abort());
      await stream.write(": hello\nretry: 1000\n\n");
      const until = AbortSignal.any([signal, ended.signal]);
      for await (const event of follow(view.folder, view.pulse, cursor, until)) await stream.writeSSE(event);
    });
  });

  api.post("/:kind/:name/stop", async (context) => {
    const view = await viewOf(context.req.param());
    await askToStop(view.folder);
    return context.json({ asked: true });
  });

  api.notFound((context) => context.json({ error: "There is nothing here." }, 404));
  api.onError((error, context) => {
    if (error instanceof z.ZodError) return context.json({ error: z.prettifyError(error) }, 400);
    if (!HoneError.is(error)) return context.json({ error: "The server failed to answer." }, 500);
    const status = ["not-a-run", "no-rollout", "bad-name"].includes(error.code) ? 404 : 500;
    return context.json({ error: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) }, status);
  });

  function viewOf(parameters: { readonly kind: string; readonly name: string }): ReturnType<RunViews["open"]> {
    return views.open(Kind.parse(parameters.kind), parameters.name);
  }

  async function listKind(kind: RunKind): Promise<readonly RunItem[]> {
    if ((await resolveInside(root, join(root, kind))) === undefined) return [];
    const items: RunItem[] = [];
    for (const { name } of await listRuns(join(root, kind))) {
      // One that cannot be read, or leads out of the root, hides none of the others.
      const item = await views.open(kind, name).then(
        (view) => view.item(),
        () => undefined,
      );
      if (item !== undefined) items.push(item);
    }
    return items;
  }

  return api;
}

/** What is not indexed by then is in the next answer. */
async function indexed(index: RolloutIndex): Promise<void> {
  await Promise.race([index.refresh(), sleep(index.isComplete ? indexMs : firstIndexMs)]);
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}
