// `hone env info`: everything a person wants to know before using an environment. What cannot be read (a data set that needs a network) is
// said, and the rest is shown.
import { type Environment, type Message, type Split, textOf } from "@hone/core";
import type { Work } from "../command.ts";
import { type ArgumentFlags, readArguments } from "../environment/arguments.ts";
import { type ArgumentInfo, describeArguments, valueWords } from "../environment/describe-arguments.ts";
import { findEnvironment } from "../environment/find-environment.ts";
import { countTasks, type Sample, sampleOf } from "../environment/sample.ts";
import { shown } from "../screen/shown-path.ts";
import { replaced } from "../evaluation/resume-command.ts";
import { exitCodes } from "../io.ts";
import { columns, wrap } from "../screen/columns.ts";
import { type Style, styleFor } from "../screen/style.ts";
import { descriptionOf } from "./env-list.ts";

export interface InfoFlags extends ArgumentFlags {
  readonly json: boolean;
}

export const info: Work<InfoFlags, [env: string]> = async ({ io, argv }, flags, id) => {
  const { environment, location, schema } = await findEnvironment(id, {
    cwd: io.cwd,
    args: readArguments(flags),
    tryInstead: (name) => replaced(argv, id, name),
  });
  const facts: Facts = {
    name: environment.info.name,
    version: location.version,
    description: location.folder === undefined ? "" : await descriptionOf(location.folder),
    file: location.file,
    arguments: describeArguments(schema),
    rewards: environment.info.rewards,
    tools: environment.info.tools.map(({ name, description }) => ({ name, description })),
    ...(await readTasks(environment)),
  };
  if (flags.json) io.stdout.write(`${JSON.stringify(facts)}\n`);
  else io.stdout.write(factsText(facts, styleFor(io.stdout, io.env), shown(location.folder ?? location.file, io.cwd)));
  return facts.problem === undefined ? exitCodes.ok : exitCodes.failed;
};

interface TaskFacts {
  /** By split; null when they never end. */
  readonly tasks?: Readonly<Partial<Record<Split, number | "many" | null>>>;
  readonly sample?: Sample;
  /** Why tasks could not be read. */
  readonly problem?: string;
}

interface Facts extends TaskFacts {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly file: string;
  readonly arguments: readonly ArgumentInfo[];
  /** Weights; 0 makes it a metric. */
  readonly rewards: Readonly<Record<string, number>>;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
}

async function readTasks(environment: Environment): Promise<TaskFacts> {
  try {
    const splits: readonly Split[] = environment.info.hasEvalTasks ? ["train", "eval"] : ["all"];
    const sample = await sampleOf(environment);
    const counts: [Split, number | "many" | null][] = [];
    for (const split of splits) {
      const count = await countTasks(environment.tasks(split));
      counts.push([split, count === Number.POSITIVE_INFINITY ? null : count]);
    }
    return { tasks: Object.fromEntries(counts), ...(sample === undefined ? {} : { sample }) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function factsText(facts: Facts, style: Style, where: string): string {
  const title = (text: string): string => `\n${style.paint("bold", text)}\n`;
  const parts = [`${style.paint("bold", facts.name)} ${facts.version}  ${style.paint("dim", where)}\n`];
  if (facts.description !== "") parts.push(`${facts.description}\n`);
  parts.push(title("Arguments"), argumentsText(facts.arguments, style));
  parts.push(title("Rewards"), rewardsText(facts.rewards, style));
  if (facts.tools.length > 0) {
    parts.push(
      title("Tools"),
      columns(
        facts.tools.map((tool) => [tool.name, tool.description]),
        { indent: "  " },
      ),
    );
  }
  parts.push(title("Tasks"), `  ${tasksText(facts)}\n`);
  if (facts.sample !== undefined) parts.push(sampleText(facts.sample, style, title));
  return parts.join("");
}

function argumentsText(all: readonly ArgumentInfo[], style: Style): string {
  if (all.length === 0) return "  none\n";
  const rows = all.map((one) => [
    one.name,
    style.paint("dim", one.type),
    one.isRequired ? "required" : one.default === undefined ? "" : valueWords(one.default),
    one.description ?? "",
  ]);
  return columns([["name", "takes", "default", ""].map((head) => style.paint("dim", head)), ...rows], { indent: "  " });
}

function rewardsText(rewards: Facts["rewards"], style: Style): string {
  const rows = Object.entries(rewards).map(([name, weight]) => [
    name,
    weight === 0 ? style.paint("dim", "metric") : `weight ${weight}`,
  ]);
  return rows.length === 0 ? "  none\n" : columns(rows, { indent: "  " });
}

function tasksText({ tasks, problem }: Facts): string {
  if (tasks === undefined) return `cannot be read: ${problem ?? ""}`;
  const words = (count: number | "many" | null | undefined): string =>
    count === null ? "without end" : count === "many" ? "more than 100,000" : (count ?? 0).toLocaleString("en-US");
  if (!("all" in tasks)) return `${words(tasks.train)} to train on, ${words(tasks.eval)} held out for evaluation`;
  return `${words(tasks.all)}; one in ten is held out for evaluation, by a hash`;
}

const longestField = 200;
const mostLines = 20;

function sampleText({ task, prompt, problem }: Sample, style: Style, title: (text: string) => string): string {
  const { id, ...others } = task;
  const fields = Object.entries({ id, ...others }).map(([key, value]) => [
    key,
    cut(typeof value === "string" ? value : JSON.stringify(value)),
  ]);
  const said =
    prompt === undefined
      ? `  not shown: ${problem ?? "the model was not asked"}\n`
      : columns(prompt.flatMap(messageRows(style)), { indent: "  " });
  return `${title("A task")}${columns(fields, { indent: "  " })}${title("Its prompt")}${said}`;
}

function messageRows(style: Style): (message: Message) => string[][] {
  return ({ role, content }) => {
    const lines = wrap(textOf(content), 100);
    const rest = lines.length > mostLines ? [`... ${lines.length - mostLines} more lines`] : [];
    return [...lines.slice(0, mostLines), ...rest].map((line, at) => [at === 0 ? style.paint("dim", role) : "", line]);
  };
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > longestField ? `${line.slice(0, longestField - 3)}...` : line;
}
