// The questions the page asks, as JSON. Every answer is made from the files of a run directory; the only thing ever written is a run's `stop` file.
import { join } from "node:path";
import { HoneError } from "@hone/core";
import { listRuns, runPaths } from "@hone/store";
import { Hono } from "hono";
import * as z from "zod";
import type { RunItem, RunKind } from "../app/api-types.ts";
import type { RolloutItem } from "../app/rollout-types.ts";
import { aboutRoot } from "./about-root.ts";
import { indexed } from "./indexed.ts";
import { askToStop, resolveInside } from "./inside.ts";
import { addMetricRoutes } from "./metric-routes.ts";
import { readRollout, readText, type RolloutPlace } from "./read-rollout.ts";
import { readTokens, type TokenTexts } from "./read-tokens.ts";
import { neighboursOf } from "./rollout-neighbours.ts";
import { queryRollouts, type RolloutFilter } from "./rollout-query.ts";
import type { RunView } from "./run-view.ts";
import type { RunViews } from "./run-views.ts";
import { searchLog } from "./search-log.ts";

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
const LogQuery = z.object({
  before: whole.exactOptional(),
  limit: whole.min(1).max(1000).default(200),
  level: z.enum(["info", "warning", "error"]).default("info"),
  search: z.string().max(500).default(""),
});
const listedAtOnce = 8;
/** How long a request may search: the first one is answered soon, with what is near. */
const [firstSearchMs, searchMs] = [100, 400];

/** After the list has been answered and drawn. */
const aheadMs = 50;

export function createApi({ root, views, tokenTexts, now, signal }: ApiOptions): Hono {
  const api = new Hono();
  const ahead = new WeakSet<RunView>();

  api.get("/list/:kind", async (context) => {
    const kind = Kind.parse(context.req.param("kind"));
    return context.json(await listKind(kind));
  });

  api.get("/root", async (context) => context.json(await aboutRoot(root)));

  api.get("/:kind/:name", async (context) => context.json(await (await viewOf(context.req.param())).detail()));

  api.get("/:kind/:name/rollouts", async (context) => {
    const view = await viewOf(context.req.param());
    const { filter, ...query } = readQuery(context.req.query());
    const isNewest = query.sort === "newest" && query.search === "" && Object.keys(filter).length === 0;
    if (query.offset > 0 && view.rollouts.isComplete) view.rollouts.refresh().catch(() => undefined);
    else await indexed(view.rollouts, isNewest ? { enough: query.offset + query.limit } : {});
    const limits = { searchMs: query.offset === 0 ? firstSearchMs : searchMs, now };
    const page = await queryRollouts(view.folder, view.rollouts, { ...query, filter }, limits);
    readAhead(view, page.items[0]);
    return context.json(page);
  });

  api.get("/:kind/:name/rollouts/:step/:id", async (context) => {
    const { view, place } = await placeOf(context.req.param());
    view.rollouts.giveWay();
    return context.json(await readRollout(view.folder, place, await view.context()));
  });

  api.get("/:kind/:name/rollouts/:step/:id/text", async (context) => {
    const { view, place } = await placeOf(context.req.param());
    const at = z.string().max(2000).parse(context.req.query("at"));
    const text = await readText(view.folder, place, at, await view.context());
    return text === undefined ? context.notFound() : context.text(text);
  });

  api.get("/:kind/:name/rollouts/:step/:id/tokens", async (context) => {
    const { view, place } = await placeOf(context.req.param());
    const { bookedIn } = await view.context();
    return context.json(await readTokens(view.folder, place, { samples: view.samples, bookedIn, tokenTexts }));
  });

  api.get("/:kind/:name/rollouts/:step/:id/neighbours", async (context) => {
    const { view, place } = await placeOf(context.req.param());
    const query = readQuery(context.req.query());
    // Who goes through a list has seen it: what was read then is enough, and looking through all files takes longer than the answer.
    view.rollouts.refresh().catch(() => undefined);
    return context.json(await neighboursOf(view.folder, view.rollouts, place, query, { searchMs, now }));
  });

  api.get("/:kind/:name/log", async (context) => {
    const { folder } = await viewOf(context.req.param());
    const query = LogQuery.parse(context.req.query());
    return context.json(await searchLog(folder, runPaths(folder).streams.events, query, { searchMs, now }));
  });

  addMetricRoutes(api, { viewOf, signal });

  api.post("/:kind/:name/stop", async (context) => {
    const view = await viewOf(context.req.param());
    await askToStop(view.folder);
    return context.json({ asked: true });
  });

  api.notFound((context) => context.json({ error: "There is nothing here." }, 404));
  api.onError((error, context) => {
    if (error instanceof z.ZodError) return context.json({ error: z.prettifyError(error) }, 400);
    if (!HoneError.is(error)) return context.json({ error: `The server failed to answer${reasonOf(error)}.` }, 500);
    const status = ["not-a-run", "no-rollout", "bad-name"].includes(error.code) ? 404 : 500;
    return context.json({ error: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) }, status);
  });

  /** Whoever lists rollouts opens one soon, and the first takes longest: tasks and ledger are read for it. */
  function readAhead(view: RunView, item: RolloutItem | undefined): void {
    if (item === undefined || ahead.has(view)) return;
    ahead.add(view);
    const place = { index: view.rollouts, step: item.step, id: item.id };
    const read = async (): Promise<unknown> => readRollout(view.folder, place, await view.context());
    setTimeout(() => void read().catch(() => undefined), aheadMs).unref();
  }

  function viewOf(parameters: { readonly kind: string; readonly name: string }): ReturnType<RunViews["open"]> {
    return views.open(Kind.parse(parameters.kind), parameters.name);
  }

  async function placeOf(
    parameters: { readonly kind: string; readonly name: string } & { readonly step: string; readonly id: string },
  ): Promise<{ view: RunView; place: RolloutPlace }> {
    const view = await viewOf(parameters);
    return { view, place: { index: view.rollouts, step: whole.parse(parameters.step), id: parameters.id } };
  }

  async function listKind(kind: RunKind): Promise<readonly RunItem[]> {
    if ((await resolveInside(root, join(root, kind))) === undefined) return [];
    const items: RunItem[] = [];
    const runs = await listRuns(join(root, kind));
    for (let at = 0; at < runs.length; at += listedAtOnce) {
      // One that cannot be read, or leads out of the root, hides none of the others.
      const some = runs.slice(at, at + listedAtOnce).map(({ name }) => views.item(kind, name).catch(() => undefined));
      items.push(...(await Promise.all(some)).filter((item) => item !== undefined));
    }
    return items;
  }

  return api;
}

/** What the system says of a file, such as "EACCES: permission denied"; nothing of faults of our own. */
function reasonOf(error: Error): string {
  return "syscall" in error ? `: ${error.message}` : "";
}

/** A list of rollouts as an address asks for it; "task" there is the id of one. */
function readQuery(query: Readonly<Record<string, string>>): Omit<
  z.output<typeof RolloutsQuery>,
  keyof RolloutFilter
> & {
  readonly filter: RolloutFilter;
} {
  const { env, step, stop, task, kind, ...rest } = RolloutsQuery.parse(query);
  const filter = {
    ...(env === undefined ? {} : { env }),
    ...(step === undefined ? {} : { step }),
    ...(stop === undefined ? {} : { stop }),
    ...(task === undefined ? {} : { taskId: task }),
    ...(kind === undefined ? {} : { kind }),
  };
  return { ...rest, filter };
}
