// `hone env test` and an environment's own test: does it keep the rules? Tasks load, ids are unique and stable, `gold` scores 1, saying nothing
// scores 0, state and rollouts survive JSON.
import { type Environment, HoneError, type Model, Rollout, type SandboxProvider, type Task } from "@hone/core";
import { scriptedModel } from "@hone/core/testing";
import * as z from "zod";
import { findNotPlain } from "../task/plain.ts";
import { noModel, noSandboxes, runOnce } from "./run-once.ts";

export interface Check {
  readonly name: string;
  readonly outcome: "ok" | "failed" | "skipped";
  readonly detail: string;
}

export interface CheckOptions {
  /** How many tasks are tried. */
  readonly count?: number;
  /** Judges, by name; without it rewards that ask one are skipped. */
  readonly models?: (name: string) => Model;
  readonly sandboxes?: SandboxProvider;
  readonly signal?: AbortSignal;
}

interface Golden extends Environment {
  gold(task: Task): readonly string[] | undefined;
}

export async function checkEnvironment(
  environment: Environment,
  options: CheckOptions = {},
): Promise<readonly Check[]> {
  const { count = 8 } = options;
  const checks: Check[] = [];
  const check = async (name: string, work: () => Promise<string>): Promise<void> => {
    try {
      checks.push({ name, outcome: "ok", detail: await work() });
    } catch (error) {
      const skipped = HoneError.is(error) && error.code === "skipped";
      checks.push({ name, outcome: skipped ? "skipped" : "failed", detail: messageOf(error) });
    }
  };
  let tasks: readonly Task[] = [];
  await check("tasks load", async () => {
    tasks = await read(environment, count);
    if (tasks.length === 0) throw new Error("it has no tasks");
    return `${tasks.length} read`;
  });
  if (tasks.length === 0) return checks;
  await check("task ids are unique and stable", async () => idsAreStable(tasks, await read(environment, count)));
  await check("tasks survive JSON", async () => survives(tasks, "task"));
  await check("gold replies score 1", () => scoreOf(environment, tasks, options, "gold"));
  await check("saying nothing scores 0", () => scoreOf(environment, tasks, options, "nothing"));
  await check("rollouts and their state survive JSON", () => roundTrips(environment, tasks, options));
  return checks;
}

async function read(environment: Environment, count: number): Promise<Task[]> {
  const tasks: Task[] = [];
  for await (const task of environment.tasks("all").head(count)) tasks.push(task);
  return tasks;
}

function idsAreStable(first: readonly Task[], second: readonly Task[]): string {
  const ids = new Set(first.map(({ id }) => id));
  if (ids.size < first.length) {
    const twice = first.find(({ id }, index) => first.findIndex((other) => other.id === id) < index);
    throw new Error(`the id ${twice?.id} is used twice`);
  }
  const moved = first.findIndex(({ id }, index) => second[index]?.id !== id);
  if (moved >= 0) throw new Error(`task ${moved} was ${first[moved]?.id}, then ${second[moved]?.id}`);
  return `${ids.size} ids`;
}

function survives(values: readonly unknown[], what: string): string {
  for (const value of values) {
    const problem = findNotPlain(value);
    if (problem !== undefined)
      throw new Error(
        `${[what, problem.member].filter(Boolean).join(".")} is ${problem.found}, which does not survive JSON`,
      );
  }
  return `${values.length} checked`;
}

async function scoreOf(
  environment: Environment,
  tasks: readonly Task[],
  options: CheckOptions,
  what: "gold" | "nothing",
): Promise<string> {
  const expected = what === "gold" ? 1 : 0;
  let tried = 0;
  for (const [index, task] of tasks.entries()) {
    const replies = what === "nothing" ? [""] : "gold" in environment ? (environment as Golden).gold(task) : undefined;
    if (replies === undefined) continue;
    const rollout = await attempt(environment, task, index, options, replies);
    const reward = rollout.agents[0]?.reward ?? 0;
    if (Math.abs(reward - expected) > 1e-6)
      throw new Error(`task ${task.id} scores ${reward} for ${JSON.stringify(replies.join(" | ").slice(0, 60))}`);
    tried++;
  }
  if (tried === 0) throw new HoneError("it gives no `gold`", { code: "skipped" });
  return `${tried} tried`;
}

async function roundTrips(environment: Environment, tasks: readonly Task[], options: CheckOptions): Promise<string> {
  for (const [index, task] of tasks.entries()) {
    const rollout = await attempt(environment, task, index, options, ["hello"]);
    survives([rollout.state], "state");
    const again = z.decode(Rollout, JSON.parse(JSON.stringify(z.encode(Rollout, rollout))));
    if (again.nodes.length !== rollout.nodes.length) throw new Error("a rollout lost messages");
  }
  return `${tasks.length} checked`;
}

async function attempt(
  environment: Environment,
  task: Task,
  index: number,
  { models = noModel, sandboxes = noSandboxes, signal = new AbortController().signal }: CheckOptions,
  replies: readonly string[],
): Promise<Rollout> {
  const model = scriptedModel((_request, { index: turn }) => replies[turn] ?? replies.at(-1) ?? "", { name: "check" });
  const rollout = await runOnce(environment, { task, model, models, sandboxes, seed: index, signal });
  if (rollout.failure === undefined) return rollout;
  const { code, boundary, message } = rollout.failure;
  if (code === "unknown-model" || code === "sandbox-none") throw new HoneError(message, { code: "skipped" });
  throw new Error(`task ${task.id} failed at the boundary ${boundary}: ${message}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
