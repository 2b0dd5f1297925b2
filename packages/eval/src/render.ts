// Evaluations, comparisons and matrices as text for a terminal. The same data gives the same text; colour only adds weight.
import type { Comparison, TaskDifference } from "./compare.ts";
import type { Evaluation } from "./evaluation.ts";
import type { Cell, Matrix } from "./matrix.ts";
import type { Rescored } from "./rescore.ts";
import type { Estimate } from "./statistics.ts";
import { bold, count, dim, dollars, interval, number, oneLine, plural, signed, type Style, table } from "./text.ts";

export function renderEvaluation(evaluation: Evaluation, style: Style = {}): string {
  const { env, model, rollouts, tasks, failed, interrupted, directory, notes } = evaluation;
  const head = [`${plural(rollouts, "rollout")} of ${plural(tasks, "task")}`];
  if (failed > 0) head.push(`${count(failed)} failed`);
  if (interrupted) head.push("interrupted");
  const sections = [
    [`${bold(`${env} · ${model}`, style)} · ${head.join(" · ")}`],
    estimateLines(evaluation, style),
    passLines(evaluation, style),
    spentLines(evaluation),
    errorLines(evaluation, style),
    [...notes.map((note) => `note: ${note}`), ...(directory === null ? [] : [dim(directory, style)])],
  ];
  return sections.flatMap((lines, at) => (lines.length === 0 ? [] : [...(at === 0 ? [] : [""]), ...lines])).join("\n");
}

function estimateLines({ reward, rewards, metrics }: Evaluation, style: Style): string[] {
  if (reward === null) return [];
  const row = (name: string, { mean, ci95, standardDeviation }: Estimate): string[] => [
    name,
    number(mean),
    interval(ci95),
    standardDeviation === null ? "" : number(standardDeviation),
  ];
  const [head = "", ...lines] = table(
    [
      ["", "mean", "95 % interval", "deviation"],
      row("reward", reward),
      ...Object.entries(rewards).map(([name, one]) => row(`  ${name}`, one)),
      ...Object.entries(metrics).map(([name, one]) => row(name, one)),
    ],
    ["left", "right"],
  );
  return [dim(head, style), ...lines];
}

function passLines({ passes, passThreshold }: Evaluation, style: Style): string[] {
  if (passes.length < 2) return [];
  const [head = "", ...lines] = table(
    [
      ["k", ...passes.map(({ k }) => String(k))],
      ["pass@k", ...passes.map(({ any }) => number(any))],
      ["pass^k", ...passes.map(({ all }) => number(all))],
    ],
    ["left", "right"],
  );
  return [dim(head, style), ...lines, `correct: a reward of ${passThreshold} or more`];
}

function spentLines({ tokens, seconds, cost, stops, truncated, rollouts }: Evaluation): string[] {
  if (rollouts === 0) return [];
  const { input, output } = tokens;
  const each = `${count(input.mean)} in and ${count(output.mean)} out per rollout`;
  const rows = [["tokens", `${each}, ${count(input.total)} in and ${count(output.total)} out in all`]];
  if (seconds !== null)
    rows.push(["seconds", `${number(seconds.mean)} mean, ${number(seconds.p50)} median, ${number(seconds.p95)} p95`]);
  if (cost !== null) rows.push(["cost", `${dollars(cost.total)}, ${dollars(cost.mean)} per rollout`]);
  rows.push(["stops", stops.map((one) => `${one.stop} ${count(one.count)}`).join(", ")]);
  if (truncated > 0) rows.push(["truncated", `${(100 * truncated).toFixed(1)} %`]);
  return table(rows, ["left"]);
}

function errorLines({ errors }: Evaluation, style: Style): string[] {
  if (errors.length === 0) return [];
  const [head = "", ...lines] = table(
    [
      ["failed", "boundary", "code", "first message"],
      ...errors.map((one) => [count(one.count), one.boundary, one.code, oneLine(one.message)]),
    ],
    ["right", "left"],
  );
  return [dim(head, style), ...lines];
}

export function renderMatrix({ envs, models, cells }: Matrix, style: Style = {}): string {
  const problems: string[] = [];
  const text = (cell: Cell | undefined): string => {
    if (cell === undefined) return "not run";
    if (cell.error !== undefined) {
      const { message, hint } = cell.error;
      problems.push(`${cell.env} on ${cell.model}: ${oneLine(message, 300)}${hint === undefined ? "" : `\n  ${hint}`}`);
      return `error ${problems.length}`;
    }
    return scoreText(cell.evaluation);
  };
  const find = (env: string, model: string): Cell | undefined =>
    cells.find((cell) => cell.env === env && cell.model === model);
  const rows = envs.map((env) => [env, ...models.map((model) => text(find(env, model)))]);
  const [head = "", ...lines] = table([["", ...models], ...rows], ["left", "right"]);
  const numbered = problems.map((problem, at) => `error ${at + 1}  ${problem}`);
  return [bold(head, style), ...lines, ...(numbered.length === 0 ? [] : ["", ...numbered])].join("\n");
}

function scoreText(evaluation: Evaluation | undefined): string {
  if (evaluation === undefined) return "not run";
  const { reward, failed, interrupted } = evaluation;
  const marks = [...(failed > 0 ? [`${count(failed)} failed`] : []), ...(interrupted ? ["interrupted"] : [])];
  const suffix = marks.length === 0 ? "" : ` (${marks.join(", ")})`;
  if (reward === null) return `nothing scored${suffix}`;
  const half = reward.ci95 === null ? "" : ` ± ${number((reward.ci95[1] - reward.ci95[0]) / 2)}`;
  return `${number(reward.mean)}${half}${suffix}`;
}

const mostTasks = 10;

export function renderComparison(comparison: Comparison, style: Style = {}): string {
  const { a, b, tasks, pairs, difference, gained, lost, notes } = comparison;
  const [low, high] = difference.ci95 ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const verdict = low > 0 ? "B is better." : high < 0 ? "A is better." : "No difference can be told from these tasks.";
  const range = difference.ci95 === null ? "" : `, 95 % interval ${signed(low)} to ${signed(high)}`;
  return [
    ...table(
      [
        ["A", number(a.mean), a.env, a.model, a.directory],
        ["B", number(b.mean), b.env, b.model, b.directory],
      ],
      ["left"],
    ),
    `B - A: ${bold(signed(difference.mean), style)}${range} (${plural(tasks, "task")}, ${plural(pairs, "pair")}). ${verdict}`,
    ...taskLines(`gained ${gained.length}`, gained, style),
    ...taskLines(`lost ${lost.length}`, lost, style),
    ...(notes.length === 0 ? [] : ["", ...notes.map((note) => `note: ${note}`)]),
  ].join("\n");
}

function taskLines(title: string, tasks: readonly TaskDifference[], style: Style): string[] {
  if (tasks.length === 0) return [];
  const rows = tasks
    .slice(0, mostTasks)
    .map((one) => [oneLine(one.task, 40), number(one.a), number(one.b), signed(one.difference)]);
  const [head = "", ...lines] = table([[title, "A", "B", "B - A"], ...rows], ["left", "right"]);
  const more = tasks.length - rows.length;
  return ["", dim(head, style), ...lines, ...(more > 0 ? [`and ${count(more)} more`] : [])];
}

export function renderRescored({ before, after, changed }: Rescored, style: Style = {}): string {
  const names = [...new Set([...Object.keys(before.rewards), ...Object.keys(after.rewards)])];
  const cell = (one: Estimate | null | undefined): string => (one ? number(one.mean) : "");
  const [head = "", ...lines] = table(
    [
      ["", "before", "after"],
      ["reward", cell(before.reward), cell(after.reward)],
      ...names.map((name) => [`  ${name}`, cell(before.rewards[name]), cell(after.rewards[name])]),
      ["failed", count(before.failed), count(after.failed)],
    ],
    ["left", "right"],
  );
  return [
    `${bold(`${after.env} · ${after.model}`, style)} · ${plural(after.rollouts, "rollout")} scored again, ${count(changed)} changed`,
    dim(head, style),
    ...lines,
    ...after.notes.map((note) => `note: ${note}`),
    dim(after.directory ?? "", style),
  ].join("\n");
}
