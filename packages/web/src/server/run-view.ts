// One run as the page sees it: metrics, evaluations, events, ledger, tasks and rollouts, each read on from where it was left.
// Everything comes from files, so a finished, a running and a copied run look the same.
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Json } from "@hone/core";
import { isStopRequested, readLock, runPaths } from "@hone/store";
import type { EventRow, MetricRow, RunDetail, RunItem, RunKind, RunState } from "../app/api-types.ts";
import { configValue } from "./config-value.ts";
import { readInside } from "./inside.ts";
import { MetricTable } from "./metric-table.ts";
import { RolloutIndex } from "./rollout-index.ts";
import { StreamRows } from "./stream-rows.ts";

const sparklinePoints = 48;
const configBytes = 1_000_000;
const mostEvents = 500;

export class RunView {
  readonly folder: string;
  readonly updates: MetricTable;
  readonly rollouts: RolloutIndex;
  readonly #kind: RunKind;
  readonly #evals: StreamRows;
  readonly #events: StreamRows;
  readonly #groups: StreamRows;
  readonly #tasks: StreamRows;

  constructor(folder: string, kind: RunKind, now: () => number) {
    const { streams } = runPaths(folder);
    this.folder = folder;
    this.#kind = kind;
    this.updates = new MetricTable(folder, streams.updates);
    this.rollouts = new RolloutIndex(folder, now);
    this.#evals = new StreamRows(folder, streams.evals, (row) => `${String(row["step"])} ${String(row["env"])}`);
    this.#events = new StreamRows(folder, streams.events, undefined, mostEvents);
    this.#groups = new StreamRows(
      folder,
      streams.groups,
      (row) => String(row["group"]),
      undefined,
      ({ outcome }) => ({
        outcome,
      }),
    );
    this.#tasks = new StreamRows(folder, streams.tasks, taskKey);
  }

  async item(): Promise<RunItem> {
    await Promise.all([this.updates.refresh(), this.#evals.refresh(), this.#events.refresh()]);
    const paths = runPaths(this.folder);
    const config = await readInside(this.folder, paths.config, configBytes);
    const evals = this.#evals.rows as readonly MetricRow[];
    const result = this.#kind === "evals" ? (evals.at(-1) ?? null) : null;
    const reward = this.updates.last("reward/mean") ?? numberOrNull(result?.["reward/mean"]);
    const keys = this.updates.keys;
    const fromUpdates = keys.flatMap((key) => /^reward\/(.+)\/mean$/.exec(key)?.[1] ?? []);
    const fromEvals = evals.flatMap(({ env }) => (typeof env === "string" ? [env] : []));
    const fromConfig = this.#kind === "evals" ? (configValue(config, "env") ?? []) : [];
    const environments = [...new Set([...fromUpdates, ...fromEvals, fromConfig].flat())];
    const { values } = this.updates.series(["reward/mean"], { points: sparklinePoints, from: 0, to: Infinity });
    const maxSteps = Number(configValue(config, "max_steps"));
    return {
      kind: this.#kind,
      name: basename(this.folder),
      state: await this.#state(),
      createdAtMs: await modifiedAtMs(paths.config),
      changedAtMs: await this.#changedAtMs(),
      model: configValue(config, "model") ?? null,
      environments: environments.filter((env) => env !== "trained"),
      step: this.updates.lastStep,
      maxSteps: Number.isFinite(maxSteps) ? maxSteps : null,
      reward,
      sparkline: (values["reward/mean"] ?? []).filter((value) => value !== null),
      result,
    };
  }

  async detail(): Promise<RunDetail> {
    await this.#groups.refresh();
    const item = await this.item();
    const outcomes: Record<string, number> = {};
    for (const { outcome } of this.#groups.rows) {
      outcomes[String(outcome)] = (outcomes[String(outcome)] ?? 0) + 1;
    }
    return {
      ...item,
      config: await readInside(this.folder, runPaths(this.folder).config, configBytes),
      metrics: this.updates.keys,
      evals: this.#evals.rows as readonly MetricRow[],
      events: this.#events.rows as unknown as readonly EventRow[],
      outcomes,
      cursor: [this.updates.byte, this.#evals.byte, this.#events.byte].join("-"),
    };
  }

  /** Task and outcome of a rollout that is about to be shown. */
  async context(): Promise<{
    task: (env: string, taskId: string) => Json;
    outcome: (group: string) => string | undefined;
  }> {
    await Promise.all([this.#tasks.refresh(), this.#groups.refresh()]);
    return {
      task: (env, taskId) => (this.#tasks.find(`${env} ${taskId}`)?.["task"] ?? null) as Json,
      outcome: (group) => this.#groups.find(group)?.["outcome"] as string | undefined,
    };
  }

  async #state(): Promise<RunState> {
    const lock = await readLock(this.folder).catch(() => undefined);
    if (lock?.status === "alive") return (await isStopRequested(this.folder)) ? "stopping" : "running";
    if (lock?.status === "elsewhere") return "elsewhere";
    if (lock?.status === "dead") return "interrupted";
    const end = this.#events.rows.findLast(
      ({ type }) => typeof type === "string" && /-(start|resume|end|interrupt)$/.test(type),
    );
    const why = (end?.["detail"] as { readonly why?: unknown } | undefined)?.why;
    if (end?.["type"] === "evaluation-interrupt" || why === "stopped") return "stopped";
    if (end?.["type"] === "run-end" || end?.["type"] === "evaluation-end") return "finished";
    return "failed";
  }

  async #changedAtMs(): Promise<number> {
    const { streams, config, rollouts } = runPaths(this.folder);
    const times = await Promise.all([streams.updates, streams.events, rollouts, config].map(modifiedAtMs));
    return Math.max(...times);
  }
}

function taskKey(row: Readonly<Record<string, unknown>>): string {
  return `${String(row["env"])} ${String((row["task"] as { readonly id?: unknown } | undefined)?.id)}`;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

async function modifiedAtMs(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
