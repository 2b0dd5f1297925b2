// What a person sees of a training run: on a terminal a table that is rewritten (step, reward per environment with its curve, speed, age of the
// samples, failures, time left); elsewhere one line per update. It only reads events and counts; nothing waits for it.
import type { Progress } from "@hone/eval";
import { renderProgress } from "@hone/eval";
import type { MetricRow } from "@hone/store";
import type { TrainEvent } from "@hone/train";
import type { Output } from "../io.ts";
import type { Tally } from "../training/watch-rollouts.ts";
import { columns } from "./columns.ts";
import { LiveBlock } from "./live-block.ts";
import { sparkline } from "./sparkline.ts";
import type { Style } from "./style.ts";
import { decimal, interval, plural, seconds } from "./words.ts";

export interface TrainViewOptions {
  readonly output: Output;
  readonly style: Style;
  readonly environments: readonly string[];
  /** Undefined where epochs end the run. */
  readonly maxSteps: number | undefined;
  readonly rolloutsPerStep: number;
  readonly tally: () => Tally;
  readonly now?: () => number;
}

const curveWidth = 24;

export class TrainView implements Disposable {
  readonly #options: TrainViewOptions;
  readonly #now: () => number;
  readonly #block: LiveBlock;
  readonly #rewards = new Map<string, number[]>();
  readonly #told = new Set<string>();
  /** Between the first and the last event: what is written before and after is not ours to overwrite. */
  #isLive = false;
  #step = 0;
  #row: MetricRow | undefined;
  #evaluating: string | undefined;
  #stepStartedMs: number;
  #stepMs: number[] = [];
  #tallyBefore: Tally;

  constructor(options: TrainViewOptions) {
    const { output, now = Date.now, tally } = options;
    this.#options = options;
    this.#now = now;
    this.#stepStartedMs = now();
    this.#tallyBefore = tally();
    this.#block = new LiveBlock({ output, draw: () => this.#lines() });
  }

  note(line: string): void {
    this.#block.note(line);
  }

  progress(step: number, progress: Progress): void {
    this.#evaluating = `evaluating ${progress.env} at step ${step}: ${renderProgress(progress)}`;
  }

  show(event: TrainEvent): void {
    switch (event.type) {
      case "run-start":
        this.#isLive = true;
        this.#step = event.step;
        if (event.step > 0) {
          const reused = event.reused === 0 ? "" : `, ${plural(event.reused, "finished rollout")} taken over`;
          this.note(`going on after step ${event.step}${reused}`);
        }
        break;
      case "update-end":
        this.#update(event.row);
        break;
      case "update-reject":
        this.note(`step ${event.step} was rejected, the policy stays: ${event.reason}`);
        break;
      case "eval-end":
        this.#evaluating = undefined;
        for (const row of event.rows) this.note(evaluationLine(row));
        break;
      case "stall":
        this.note(`note: ${event.message}`);
        return;
      case "blocked":
        this.#blocked(event);
        return;
      case "run-fail":
      case "run-end":
        this.#isLive = false;
        this.#block.clear();
        break;
    }
    // Time spent on an evaluation is no part of a step.
    if (event.type !== "update-reject") this.#stepStartedMs = this.#now();
  }

  [Symbol.dispose](): void {
    this.#block[Symbol.dispose]();
  }

  /** Once per environment: it would be told at every rollout. */
  #blocked({ envs, where, durationMs }: Extract<TrainEvent, { readonly type: "blocked" }>): void {
    const name = envs.join(", ");
    if (this.#told.has(name)) return;
    this.#told.add(name);
    const said = `${name} held the event loop for ${Math.round(durationMs)} ms in ${where.join(", ")}`;
    this.note(`note: ${said}; workers = 2 in its [[env]] gives it threads of its own.`);
  }

  #update(row: MetricRow): void {
    const tally = this.#options.tally();
    this.#stepMs = [...this.#stepMs, this.#now() - this.#stepStartedMs].slice(-8);
    this.#tallyBefore = tally;
    this.#step = row.step;
    this.#row = row;
    for (const env of this.#options.environments) {
      const reward = row[`reward/${env}/mean`];
      if (typeof reward === "number") this.#rewards.set(env, [...(this.#rewards.get(env) ?? []), reward]);
    }
    if (!this.#options.output.isTerminal) this.note(this.#plainLine(row));
  }

  #plainLine(row: MetricRow): string {
    const { environments } = this.#options;
    const rewards = environments.map((env) => `${env} ${decimal(row[`reward/${env}/mean`])}`);
    return [`step ${this.#position()}`, `reward ${decimal(row["reward/mean"])}`]
      .concat(environments.length > 1 ? rewards : [], this.#speed(), this.#left())
      .join(" · ");
  }

  #lines(): string[] {
    if (!this.#isLive) return [];
    const { environments, rolloutsPerStep, style, tally } = this.#options;
    const done = Math.min(tally().finished - this.#tallyBefore.finished, rolloutsPerStep);
    const rows = environments.map((env) => {
      const values = this.#rewards.get(env) ?? [];
      return [env, decimal(values.at(-1)), style.paint("cyan", sparkline(values, { width: curveWidth }))];
    });
    const table = columns([["environment", "reward", ""].map((head) => style.paint("dim", head)), ...rows], {
      indent: "  ",
      right: [1],
    });
    const now = this.#evaluating ?? `step ${this.#step + 1}: ${done}/${rolloutsPerStep} rollouts`;
    const step = style.paint("bold", `step ${this.#position()}`);
    return ["", [step, ...this.#speed(), ...this.#left()].join(" · "), ...table.trimEnd().split("\n"), `  ${now}`];
  }

  #position(): string {
    const { maxSteps } = this.#options;
    return maxSteps === undefined ? String(this.#step) : `${this.#step}/${maxSteps}`;
  }

  #speed(): string[] {
    const row = this.#row;
    if (row === undefined) return [];
    return [
      `${Math.round(Number(row["rollout/tokens_per_second"] ?? 0)).toLocaleString("en-US")} tok/s`,
      `staleness ${decimal(row["sample/age/mean"], 1)}`,
      `${String(this.#options.tally().failed)} failed`,
    ];
  }

  #left(): string[] {
    const steps = (this.#options.maxSteps ?? this.#step) - this.#step;
    if (this.#stepMs.length === 0 || steps <= 0) return [];
    const mean = this.#stepMs.reduce((sum, value) => sum + value, 0) / this.#stepMs.length;
    return [`${seconds((mean * steps) / 1000)} left`];
  }
}

/** "held-out reverse-text at step 10: reward 0.61 (0.57 to 0.65), gain +0.25 (0.20 to 0.30), exact 0.41, 200 rollouts" */
export function evaluationLine(row: MetricRow): string {
  if (row["env"] === undefined) return `held-out at step ${row.step}: loss ${decimal(row["loss/mean"])}`;
  const bracketed = (value: unknown): string => (interval(value) === "" ? "" : ` (${interval(value)})`);
  const gain = row["reward/gain"];
  const parts = [
    `reward ${decimal(row["reward/mean"], 2)}${bracketed(row["reward/ci95"])}`,
    ...(typeof gain === "number"
      ? [`gain ${gain >= 0 ? "+" : ""}${decimal(gain, 2)}${bracketed(row["reward/gain_ci95"])}`]
      : []),
    ...ownMetrics(row).map(([name, value]) => `${name} ${decimal(value, 2)}`),
    plural(Number(row["n"] ?? 0), "rollout"),
  ];
  return `held-out ${String(row["env"])} at step ${row.step}: ${parts.join(", ")}`;
}

/** Metrics that the environment declares: those with an interval. */
export function ownMetrics(row: MetricRow): [name: string, value: number][] {
  return Object.keys(row).flatMap((key): [string, number][] => {
    const name = /^rollout\/(.+)\/ci95$/.exec(key)?.[1];
    const value = name === undefined ? undefined : row[`rollout/${name}`];
    return name === undefined || typeof value !== "number" ? [] : [[name, value]];
  });
}
