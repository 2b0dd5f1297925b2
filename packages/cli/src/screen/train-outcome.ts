// The last lines of a training run: reward before and after on held-out tasks, where the policy is, what to do with it. Nothing is printed that would
// not work when it is typed.
import type { MetricRow } from "@hone/store";
import type { TrainOutcome } from "../training/run-training.ts";
import { columns } from "./columns.ts";
import { shown } from "./shown-path.ts";
import { sparkline } from "./sparkline.ts";
import type { Style } from "./style.ts";
import { ownMetrics } from "./train-view.ts";
import { decimal, interval, plural } from "./words.ts";

export interface OutcomeTextOptions {
  readonly cwd: string;
  readonly style: Style;
}

export function outcomeText(outcome: TrainOutcome, { cwd, style }: OutcomeTextOptions): string {
  const { name, why, step, directory, policy } = outcome;
  const parts = [`${style.paint("bold", endings[why])} after ${plural(step, "step")}.\n`];
  if (step > 0) parts.push(`\nReward per step\n${curveTable(outcome.rewards, style)}`);
  const table = evaluationTable(outcome, style);
  if (table !== "") parts.push(`\nOn held-out tasks\n${table}`);
  if (policy === null) parts.push("\nNo update was made, so there is no policy to keep.\n");
  else parts.push(`\n${policyLines(outcome, policy, cwd)}`);
  if (why === "stopped") parts.push(`\nGo on with:\n  hone train --resume ${name}\n`);
  else parts.push(`\nLook at it again:\n  hone runs show ${name}\n  hone web\n`);
  return `${parts.join("")}${style.paint("dim", shown(directory, cwd))}\n`;
}

const curveWidth = 40;
const endings = { done: "Done", stopped: "Stopped", "tasks-over": "Done: all tasks were gone through," } as const;

function curveTable(rewards: TrainOutcome["rewards"], style: Style): string {
  const rows = Object.entries(rewards).map(([env, values]) => [
    env,
    decimal(values[0]),
    style.paint("cyan", sparkline(values, { width: curveWidth })),
    decimal(values.at(-1)),
  ]);
  return columns(rows, { indent: "  ", right: [1] });
}

function evaluationTable({ before, after }: TrainOutcome, style: Style): string {
  const rows = before.flatMap((first) => {
    const last = after.find(({ env }) => env === first["env"]);
    return [rewardRow(first, last), ...metricRows(first, last)];
  });
  if (rows.length === 0) return "";
  const head = ["", "before", "after", "gain", "95 % interval"].map((text) => style.paint("dim", text));
  return columns([head, ...rows], { indent: "  ", right: [1, 2, 3] });
}

function rewardRow(first: MetricRow, last: MetricRow | undefined): string[] {
  const after = last === undefined ? "-" : decimal(last["reward/mean"]);
  return [
    String(first["env"]),
    decimal(first["reward/mean"]),
    after,
    signed(last?.["reward/gain"]),
    interval(last?.["reward/gain_ci95"]),
  ];
}

/** Exact match and whatever else the environment counts beside its reward. */
function metricRows(first: MetricRow, last: MetricRow | undefined): string[][] {
  return ownMetrics(first).map(([name, value]) => [
    `  ${name}`,
    decimal(value),
    last === undefined ? "-" : decimal(last[`rollout/${name}`]),
    signed(last?.[`rollout/${name}/gain`]),
    interval(last?.[`rollout/${name}/gain_ci95`]),
  ]);
}

function signed(value: unknown): string {
  return typeof value === "number" ? `${value >= 0 ? "+" : ""}${decimal(value)}` : "-";
}

function policyLines({ name, model, before }: TrainOutcome, policy: string, cwd: string): string {
  const folder = shown(policy, cwd);
  const isAdapter = policy.endsWith("adapter");
  const serve = isAdapter
    ? `vllm serve ${asPath(shown(model, cwd))} --enable-lora --lora-modules ${name}=${folder}`
    : `vllm serve ${asPath(folder)}`;
  const env = before[0]?.["env"];
  const rows = [
    [isAdapter ? "adapter" : "model", `${folder}  (${isAdapter ? "PEFT" : "transformers"})`],
    ["serve", serve],
    ...(typeof env === "string" ? [["measure", `hone eval ${env} --model runs/${name}`]] : []),
    ...(isAdapter ? [["merge", `hone runs export ${name} --merged --output ${name}-merged`]] : []),
  ];
  return columns(rows);
}

/** A bare name would be looked for on the Hugging Face hub. */
function asPath(folder: string): string {
  return /^[./~]/.test(folder) ? folder : `./${folder}`;
}
