// One run as the page sees it: metrics, evaluations, events, ledger, tasks and rollouts, each read on from where it was left.
// Everything comes from files, so a finished, a running and a copied run look the same.
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Json } from "@hone/core";
import { isStopRequested, readLock, runPaths } from "@hone/store";
import type {
  EventRow,
  MetricRow,
  RunBrief,
  RunDetail,
  RunItem,
  RunKind,
  RunSettings,
  RunState,
} from "../app/api-types.ts";
import { flatConfig } from "./flat-config.ts";
import { RunFeed } from "./feed.ts";
import { readInside } from "./inside.ts";
import { MetricTable } from "./metric-table.ts";
import { TaskRanks } from "./rank-tasks.ts";
import { RolloutIndex } from "./rollout-index.ts";
import { TrendTable } from "./rollout-trends.ts";
import { SampleIndex } from "./sample-index.ts";
import { StreamRows } from "./stream-rows.ts";

const sparklinePoints = 48;
const configBytes = 1_000_000;
const mostEvents = 500;

export class RunView {
  readonly folder: string;
  readonly updates: MetricTable;
  readonly rollouts: RolloutIndex;
  readonly samples: SampleIndex;
  readonly ranks = new TaskRanks();
  readonly trends = new TrendTable();
  readonly feed: RunFeed;
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
    this.samples = new SampleIndex(folder);
    this.feed = new RunFeed(folder, () => this.brief());
    this.#evals = new StreamRows(folder, streams.evals, (row) => `${String(row["step"])} ${String(row["env"])}`);
    this.#events = new StreamRows(folder, streams.events, undefined, mostEvents);
    const group = (row: Readonly<Record<string, unknown>>): string => String(row["group"]);
    this.#groups = new StreamRows(folder, streams.groups, group, undefined, ({ outcome, step }) => ({
      outcome,
      step,
    }));
    this.#tasks = new StreamRows(folder, streams.tasks, taskKey);
  }

  async item(): Promise<RunItem> {
    const [text] = await Promise.all([
      readInside(this.folder, runPaths(this.folder).config, configBytes),
      this.updates.refresh(),
      this.#evals.refresh(),
      this.#events.refresh(),
    ]);
    const config = flatConfig(text);
    const evals = this.#evals.rows as readonly MetricRow[];
    const result = this.#kind === "evals" ? (evals.at(-1) ?? null) : null;
    const isSft = this.#kind === "runs" && this.#isSft(config);
    const curve = isSft ? "update/loss" : "reward/mean";
    const { values } = this.updates.series([curve], { points: sparklinePoints, from: 0, to: Infinity });
    const maxSteps = Number(config.get("max_steps"));
    return {
      kind: this.#kind,
      name: basename(this.folder),
      state: await this.#state(),
      createdAtMs: await modifiedAtMs(runPaths(this.folder).config),
      changedAtMs: await this.#changedAtMs(),
      model: config.get("model") ?? null,
      environments: isSft ? [] : this.#environments(config, evals),
      step: this.updates.lastStep,
      maxSteps: Number.isFinite(maxSteps) ? maxSteps : null,
      reward: this.updates.last("reward/mean") ?? numberOrNull(result?.["reward/mean"]),
      isSft,
      loss: isSft ? (this.updates.last("update/loss") ?? null) : null,
      sparkline: (values[curve] ?? []).filter((value) => value !== null),
      result,
    };
  }

  async detail(): Promise<RunDetail> {
    const [item, config] = await Promise.all([
      this.item(),
      readInside(this.folder, runPaths(this.folder).config, configBytes),
      this.#groups.refresh(),
    ]);
    return {
      ...item,
      config,
      metrics: this.updates.keys,
      histograms: this.updates.histogramKeys,
      still: this.updates.still,
      evals: this.#evals.rows as readonly MetricRow[],
      events: this.#events.rows as unknown as readonly EventRow[],
      outcomes: this.#outcomes(),
      cursor: [this.updates.byte, this.#evals.byte, this.#events.byte].join("-"),
    };
  }

  /** What changes besides the rows, for the feed. */
  async brief(): Promise<RunBrief> {
    await Promise.all([this.#events.refresh(), this.#groups.refresh()]);
    return { state: await this.#state(), outcomes: this.#outcomes(), changedAtMs: await this.#changedAtMs() };
  }

  /** What runs are compared by. */
  async settings(): Promise<RunSettings> {
    await this.updates.refresh();
    const config = flatConfig(await readInside(this.folder, runPaths(this.folder).config, configBytes));
    return { config: Object.fromEntries(config), metrics: this.updates.keys };
  }

  /** Task and outcome of a rollout that is about to be shown. */
  async context(): Promise<{
    task: (env: string, taskId: string) => Json;
    outcome: (group: string) => string | undefined;
    /** The update that its group is booked in. */
    bookedIn: (group: string) => number | undefined;
  }> {
    await Promise.all([this.#tasks.refresh(), this.#groups.refresh()]);
    return {
      task: (env, taskId) => (this.#tasks.find(`${env} ${taskId}`)?.["task"] ?? null) as Json,
      outcome: (group) => this.#groups.find(group)?.["outcome"] as string | undefined,
      bookedIn: (group) => numberOrNull(this.#groups.find(group)?.["step"]) ?? undefined,
    };
  }

  #isSft(config: ReadonlyMap<string, string>): boolean {
    const keys = [...config.keys(), ...this.updates.keys];
    const isTrained = keys.some((key) => key.startsWith("env.") || key.startsWith("reward/"));
    return !isTrained && keys.some((key) => key.startsWith("data.") || key === "update/loss");
  }

  #environments(config: ReadonlyMap<string, string>, evals: readonly MetricRow[]): readonly string[] {
    const fromUpdates = this.updates.keys.flatMap((key) => /^reward\/(.+)\/mean$/.exec(key)?.[1] ?? []);
    const fromEvals = evals.flatMap(({ env }) => (typeof env === "string" ? [env] : []));
    const fromConfig = this.#kind === "evals" ? (config.get("env") ?? []) : [];
    const all = new Set([...fromUpdates, ...fromEvals, fromConfig].flat());
    all.delete("trained");
    return [...all];
  }

  #outcomes(): Readonly<Record<string, number>> {
    const outcomes: Record<string, number> = {};
    for (const { outcome } of this.#groups.values()) {
      outcomes[String(outcome)] = (outcomes[String(outcome)] ?? 0) + 1;
    }
    return outcomes;
  }

  async #state(): Promise<RunState> {
    const lock = await readLock(this.folder).catch(() => undefined);
    if (lock?.status === "alive") return (await isStopRequested(this.folder)) ? "stopping" : "running";
    if (lock?.status === "elsewhere") return "elsewhere";
    if (lock?.status === "dead") return "interrupted";
    const end = this.#events.rows.findLast(
      ({ type }) => typeof type === "string" && /-(start|resume|end|interrupt|fail)$/.test(type),
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
