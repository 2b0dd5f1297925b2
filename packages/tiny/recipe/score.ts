// Prints the table of scores for the model card: every skill's environment, held-out tasks, sampled at temperature 1 and greedy.
//   npx tsx packages/tiny/recipe/score.ts [model] [--tasks 256]
// From the root of the repository. It runs `hone eval`, so build first. The model is hone/tiny unless named: runs/tiny-clean/model scores the first phase.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs, promisify } from "node:util";
import type { JsonObject } from "@hone/core";
import { skills } from "./skills/index.ts";

interface Estimate {
  readonly mean: number;
  readonly ci95: readonly [low: number, high: number] | null;
}
/** The part of what `hone eval --json` prints that is read here. */
interface Evaluation {
  readonly rollouts: number;
  readonly failed: number;
  readonly reward: Estimate | null;
  readonly metrics: Readonly<Record<string, Estimate>>;
  readonly truncated: number;
  readonly stops: readonly { readonly stop: string; readonly count: number }[];
}
interface Subject {
  readonly name: string;
  readonly env: string;
  readonly args: JsonObject;
  readonly maxTokens: number;
}

const hone = resolve("packages/cli/bin/hone.js");
const { values, positionals } = parseArgs({ allowPositionals: true, options: { tasks: { type: "string" } } });
const [model = "hone/tiny"] = positionals;
const tasks = Number(values.tasks ?? 256);

const subjects: readonly Subject[] = skills.flatMap(({ name, args, maxTokens }) => {
  const subject = { name, env: name, args, maxTokens };
  if (name !== "calculator") return [subject];
  return [subject, { ...subject, name: "calculator-without-tool", args: { ...args, tool: false } }];
});

function evaluationFile(temperature: number): string {
  const snake = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const table = (record: JsonObject): string =>
    `{ ${Object.entries(record)
      .map(([key, value]) => `${snake(key)} = ${JSON.stringify(value)}`)
      .join(", ")} }`;
  const tables = subjects.map(
    ({ name, env, args, maxTokens }) =>
      `[[env]]\nid = "${env}"\nname = "${name}"\nargs = ${table(args)}\nsplit = "eval"\nsampling = ${table({ maxTokens, temperature })}\n`,
  );
  return `model = ${JSON.stringify(model)}\nnum_tasks = ${tasks}\n\n${tables.join("\n")}`;
}

async function evaluate(temperature: number): Promise<ReadonlyMap<string, Evaluation>> {
  const folder = mkdtempSync(join(tmpdir(), "hone-score-"));
  try {
    const file = join(folder, "eval.toml");
    writeFileSync(file, evaluationFile(temperature));
    const args = [hone, "eval", file, "--output", join(folder, "results"), "--json"];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 28 });
    const { cells } = JSON.parse(stdout) as { cells: readonly { env: string; evaluation?: Evaluation }[] };
    return new Map(cells.flatMap(({ env, evaluation }) => (evaluation === undefined ? [] : [[env, evaluation]])));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The turn was ended by the model, not by a limit of tokens; running out of turns is another matter. */
function endedShare({ truncated, stops, rollouts }: Evaluation): number {
  const outOfTurns = stops.find(({ stop }) => stop === "limit turns")?.count ?? 0;
  return 1 - truncated + outOfTurns / Math.max(1, rollouts);
}

function shown(estimate: Estimate | null | undefined): string {
  if (estimate === undefined || estimate === null) return "";
  const { mean, ci95 } = estimate;
  return mean.toFixed(2) + (ci95 === null ? "" : ` ± ${((ci95[1] - ci95[0]) / 2).toFixed(2)}`);
}

const sampled = await evaluate(1);
const greedy = await evaluate(0);
const lines = subjects.map(({ name }) => {
  const [one, best] = [sampled.get(name), greedy.get(name)];
  const both = (metric: string): string =>
    one?.metrics[metric] === undefined
      ? ""
      : `${one.metrics[metric].mean.toFixed(2)} / ${best?.metrics[metric]?.mean.toFixed(2) ?? ""}`;
  const ended = one === undefined ? "" : `${Math.round(endedShare(one) * 100)} %`;
  return `| ${name} | ${shown(one?.reward)} | ${shown(best?.reward)} | ${both("exact")} | ${both("tool_calls")} | ${ended} |`;
});
process.stdout.write(
  `${model}, ${tasks} held-out tasks each, reward with its 95 % interval\n\n` +
    "| environment | sampled | greedy | exact, sampled / greedy | tool calls, sampled / greedy | replies that end |\n" +
    `|---|---|---|---|---|---|\n${lines.join("\n")}\n`,
);
