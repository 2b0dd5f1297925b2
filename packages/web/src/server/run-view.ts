// One run as the page sees it: metrics, evaluations, events, ledger, tasks and rollouts, each read on from where it was left.
// Everything comes from files, so a finished, a running and a copied run look the same.
import { basename } from "node:path";
import type { Json } from "@hone/core";
import { isRun, isStopRequested, readLock, runPaths } from "@hone/store";
import type {
  EventRow,
  MetricRow,
  RunBrief,
  RunDetail,
  RunItem,
  RunKind,
  RunPace,
  RunSettings,
  RunState,
} from "../app/api-types.ts";
import { flatConfig } from "./flat-config.ts";
import { RunFeed } from "./feed.ts";
import { type BadFiles, fileProblems } from "./file-problems.ts";
import { readInside } from "./inside.ts";
import { keptCheckpoints } from "./kept-checkpoints.ts";
import { MetricTable } from "./metric-table.ts";
import { TaskRanks } from "./rank-tasks.ts";
import { RolloutIndex } from "./rollout-index.ts";
import { modifiedAtMs, paceOf } from "./run-pace.ts";
import { TrendTable } from "./rollout-trends.ts";
import { environmentsOf, isSft, plannedIn } from "./run-settings.ts";
import { SampleIndex } from "./sample-index.ts";
import { StreamRows } from "./stream-rows.ts";

const sparklinePoints = 48;
const configBytes = 1_000_000;
const configMs = 1000;
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
  readonly #now: () => number;
  #config: Promise<string> = Promise.resolve("");
  #configAtMs = Number.NEGATIVE_INFINITY;
  readonly #evals: StreamRows;
  readonly #events: StreamRows;
  readonly #groups: StreamRows;
  readonly #tasks: StreamRows;

  constructor(folder: string, kind: RunKind, now: () => number) {
    const { streams } = runPaths(folder);
    this.folder = folder;
    this.#kind = kind;
    this.#now = now;
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
      this.#readConfig(),
      this.updates.refresh(),
      this.#evals.refresh(),
      this.#events.refresh(),
    ]);
    const config = flatConfig(text);
    const evals = this.#evals.rows as readonly MetricRow[];
    const result = this.#kind === "evals" ? (evals.at(-1) ?? null) : null;
    const sft = this.#kind === "runs" && isSft(config, this.updates.keys);
    const curve = sft ? "update/loss" : "reward/mean";
    const { values } = this.updates.series([curve], { points: sparklinePoints, from: 0, to: Infinity });
    const state = await this.#state();
    return {
      kind: this.#kind,
      name: basename(this.folder),
      state,
      createdAtMs: await modifiedAtMs(runPaths(this.folder).config),
      changedAtMs: await this.#changedAtMs(),
      model: config.get("model") ?? null,
      environments: sft ? [] : environmentsOf({ kind: this.#kind, config, metrics: this.updates.keys, evals }),
      step: this.updates.lastStep,
      maxSteps: this.#kind === "runs" ? this.#planned(config) : null,
      reward: this.updates.last("reward/mean") ?? numberOrNull(result?.["reward/mean"]),
      isSft: sft,
      loss: sft ? (this.updates.last("update/loss") ?? null) : null,
      sparkline: (values[curve] ?? []).filter((value) => value !== null),
      result,
      pace: await this.#pace(config, state),
    };
  }

  async detail(): Promise<RunDetail> {
    const [item, config] = await Promise.all([this.item(), this.#readConfig(), this.#groups.refresh()]);
    return {
      ...item,
      config,
      metrics: this.updates.keys,
      histograms: this.updates.histogramKeys,
      still: this.updates.still,
      evals: this.#evals.rows as readonly MetricRow[],
      events: this.#events.rows as unknown as readonly EventRow[],
      outcomes: this.#outcomes(),
      checkpoints: await keptCheckpoints(this.folder),
      problems: fileProblems(this.#files()),
      cursor: [this.updates.byte, this.#evals.byte, this.#events.byte].join("-"),
    };
  }

  /** What changes besides the rows, for the feed. */
  async brief(): Promise<RunBrief> {
    const [text] = await Promise.all([
      this.#readConfig(),
      this.updates.refresh(),
      this.#events.refresh(),
      this.#groups.refresh(),
    ]);
    const state = await this.#state();
    return {
      state,
      outcomes: this.#outcomes(),
      checkpoints: await keptCheckpoints(this.folder),
      changedAtMs: await this.#changedAtMs(),
      pace: await this.#pace(flatConfig(text), state),
    };
  }

  /** What runs are compared by. */
  async settings(): Promise<RunSettings> {
    await this.updates.refresh();
    const config = flatConfig(await this.#readConfig());
    return { config: Object.fromEntries(config), metrics: this.updates.keys };
  }

  /** Task and outcome of a rollout that is about to be shown. */
  async context(): Promise<{
    task: (env: string, taskId: string) => Json;
    /** Replies that score 1, turn by turn. */
    gold: (env: string, taskId: string) => readonly string[] | null;
    outcome: (group: string) => string | undefined;
    /** The update that its group is booked in. */
    bookedIn: (group: string) => number | undefined;
  }> {
    await Promise.all([this.#tasks.refresh(), this.#groups.refresh()]);
    return {
      task: (env, taskId) => (this.#tasks.find(`${env} ${taskId}`)?.["task"] ?? null) as Json,
      gold: (env, taskId) => textsOrNull(this.#tasks.find(`${env} ${taskId}`)?.["gold"]),
      outcome: (group) => this.#groups.find(group)?.["outcome"] as string | undefined,
      bookedIn: (group) => numberOrNull(this.#groups.find(group)?.["step"]) ?? undefined,
    };
  }

  /** Asked for with every look of the feed, and next to never another one. */
  #readConfig(): Promise<string> {
    if (this.#now() - this.#configAtMs >= configMs) {
      this.#configAtMs = this.#now();
      this.#config = readInside(this.folder, runPaths(this.folder).config, configBytes);
    }
    return this.#config;
  }

  #planned(config: ReadonlyMap<string, string>): number | null {
    return plannedIn(this.#kind, config, { step: this.updates.lastStep, epoch: this.updates.last("sample/epoch") });
  }

  async #pace(config: ReadonlyMap<string, string>, state: RunState): Promise<RunPace> {
    const { folder, updates } = this;
    const sources = { folder, updates, events: this.#events.rows, planned: this.#planned(config) };
    if (this.#kind === "runs") return paceOf(sources);
    // Only while they come: rollouts of all evaluations of a list would be most of what there is on disk.
    if (isAtWork(state)) await this.rollouts.refresh();
    return paceOf({ ...sources, rollouts: this.rollouts.newestFirst().length });
  }

  #files(): BadFiles {
    const streams = { updates: this.updates, evals: this.#evals, events: this.#events, groups: this.#groups };
    return { streams: { ...streams, tasks: this.#tasks }, rollouts: this.rollouts.bad };
  }

  #outcomes(): Readonly<Record<string, number>> {
    const outcomes: Record<string, number> = {};
    for (const { outcome } of this.#groups.values()) {
      outcomes[String(outcome)] = (outcomes[String(outcome)] ?? 0) + 1;
    }
    return outcomes;
  }

  async #state(): Promise<RunState> {
    if (!(await isRun(this.folder))) return "gone";
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

export function isAtWork(state: RunState): boolean {
  return state === "running" || state === "stopping" || state === "elsewhere";
}

function taskKey(row: Readonly<Record<string, unknown>>): string {
  return `${String(row["env"])} ${String((row["task"] as { readonly id?: unknown } | undefined)?.id)}`;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

function textsOrNull(value: unknown): readonly string[] | null {
  return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : null;
}
