// `hone runs show RUN`: how one run stands, what it was made of, and what to type to go on with it.
import type { MetricRow } from "@hone/store";
import { openRun } from "@hone/store";
import type { Work } from "../command.ts";
import { exitCodes } from "../io.ts";
import { findRun } from "../run/find-run.ts";
import { readStanding, type RunStanding } from "../run/run-state.ts";
import { columns } from "../screen/columns.ts";
import { shown } from "../screen/shown-path.ts";
import { type Style, styleFor } from "../screen/style.ts";
import { evaluationLine } from "../screen/train-view.ts";
import { decimal } from "../screen/words.ts";
import { exportedPolicy } from "../training/export-policy.ts";
import { stateWord } from "./runs-list.ts";

export interface RunsShowFlags {
  readonly json: boolean;
}

export const runsShow: Work<RunsShowFlags, [run: string]> = async ({ io }, { json }, name) => {
  const directory = await findRun(name, io.cwd);
  const standing = await readStanding(directory);
  const { config } = await openRun(directory);
  const policy = exportedPolicy(directory) ?? null;
  if (json) {
    io.stdout.write(`${JSON.stringify({ ...standing, lock: standing.lock ?? null, policy, config })}\n`);
    return exitCodes.ok;
  }
  const style = styleFor(io.stdout, io.env);
  const title = (text: string): string => `\n${style.paint("bold", text)}\n`;
  const parts = [
    `${style.paint("bold", standing.name)}  ${stateWord(standing.state, style)}  ${style.paint("dim", shown(directory, io.cwd))}\n`,
    standing.lock === undefined ? "" : `written by process ${standing.lock.pid} on ${standing.lock.host}\n`,
    title("Configuration"),
    config.replaceAll(/^(?=.)/gm, "  ").trimEnd(),
    "\n",
    title("Last update"),
    updateText(standing.lastUpdate, style),
    title("On held-out tasks"),
    standing.evals.length === 0 ? "  none yet\n" : standing.evals.map((row) => `  ${evaluationLine(row)}\n`).join(""),
    title("Checkpoints"),
    `  ${standing.checkpoints.length === 0 ? "none yet" : standing.checkpoints.map(({ step }) => step).join(", ")}\n`,
    policy === null ? "" : `${title("Policy")}  ${shown(policy, io.cwd)}\n`,
    nextText(standing, title),
  ];
  io.stdout.write(parts.join(""));
  return exitCodes.ok;
};

/** The numbers that people look at first; all of them are in updates.jsonl. */
function updateText(row: MetricRow | undefined, style: Style): string {
  if (row === undefined) return "  none yet\n";
  const isShown = /^reward\/|^update\/(loss|gradient_norm|learning_rate)$|^sample\/age\/mean$|^rollout\/failed$/;
  const rows = Object.entries(row).filter(([key, value]) => isShown.test(key) && typeof value === "number");
  return columns(
    [["step", String(row.step)], ...rows.map(([key, value]) => [style.paint("dim", key), number(value)])],
    {
      indent: "  ",
    },
  );
}

function number(value: MetricRow[string]): string {
  return typeof value === "number" && value !== 0 && Math.abs(value) < 0.01 ? value.toExponential(2) : decimal(value);
}

function nextText({ name, kind, state }: RunStanding, title: (text: string) => string): string {
  switch (state) {
    case "running":
    case "stopping":
      return `${title("To stop it")}  hone runs stop ${name}\n`;
    case "elsewhere":
      return `${title("To stop it")}  hone runs stop ${name}, on a machine that sees this folder\n`;
    case "finished":
      return `${title("To go on")}  hone ${kind} --resume ${name} --set max_steps=N\n`;
    case "interrupted":
    case "stopped":
    case "failed":
      return `${title("To go on")}  hone ${kind} --resume ${name}\n`;
  }
}
