// For the tests of this package: addition, by a model whose mistakes are known in advance, and what the tests look at afterwards.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Environment, type Model, type Rollout, textOf } from "@hone/core";
import { scriptedModel, type ScriptedReply } from "@hone/core/testing";
import { defineEnvironment, type MultiTurnEnv } from "@hone/env";
import { readRollouts } from "@hone/store";
import { evaluate } from "../evaluate.ts";
import type { Evaluation } from "../evaluation.ts";
import type { EvaluateOptions } from "../plan.ts";
import { withMembers } from "../with-members.ts";

export interface Sum {
  readonly id: string;
  readonly a: number;
  readonly b: number;
}

export function sums(count: number): Sum[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `sum-${String(at).padStart(3, "0")}`,
    a: at,
    b: (at * 7) % 10,
  }));
}

export interface AdditionOptions {
  readonly tasks?: readonly Sum[] | (() => Iterable<Sum>);
  readonly name?: string;
}

/** "a + b = ?"; reward 1 for the number, and a metric for brief answers. */
export function addition({ tasks = sums(10), name = "addition" }: AdditionOptions = {}): MultiTurnEnv<Sum> {
  return defineEnvironment({
    name,
    tasks,
    prompt: ({ task }) => `${task.a} + ${task.b} = ?`,
    gold: ({ task }) => String(task.a + task.b),
    rewards: {
      correct: ({ reply, task }) => reply === String(task.a + task.b),
      brief: { weight: 0, score: ({ reply }) => reply.length <= 3 },
    },
  });
}

/** The same with a reward that compares: the shortest correct answers of the group get half a point more. */
export function comparedAddition({ tasks = sums(4), name = "compared" }: AdditionOptions = {}): MultiTurnEnv<Sum> {
  return defineEnvironment({
    name,
    tasks,
    prompt: ({ task }) => `${task.a} + ${task.b} = ?`,
    gold: ({ task }) => String(task.a + task.b),
    rewards: {
      correct: ({ reply, task }) => reply.trim() === String(task.a + task.b),
      shortest: {
        weight: 0.5,
        scoreGroup: (group) => {
          const shortest = Math.min(...group.map(({ reply }) => reply.length));
          return group.map(({ reply }) => (reply.length === shortest ? 1 : 0));
        },
      },
    },
  });
}

export interface Asked {
  readonly a: number;
  readonly b: number;
  /** Uniform in [0, 1), the same for the same rollout in every run. */
  readonly chance: number;
}

/** Answers each sum as `reply` says. Replies may differ between rollouts of one task only by `chance`. */
export function adder(reply: (asked: Asked) => string | ScriptedReply, name = "adder"): Model {
  return scriptedModel(
    ({ messages }, { random }) => {
      const last = messages.at(-1);
      const [a = 0, b = 0] = (last === undefined ? "" : textOf(last.content)).match(/\d+/g)?.map(Number) ?? [];
      return reply({ a, b, chance: random.next() });
    },
    { name },
  );
}

/** Right three times in four. */
export function usuallyRight({ a, b, chance }: Asked): string {
  return String(chance < 0.75 ? a + b : a + b + 1);
}

export interface TemporaryDirectory extends AsyncDisposable {
  readonly path: string;
}

export async function temporaryDirectory(): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(tmpdir(), "hone-eval-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** The results and every rollout, by id. */
export async function evaluated(
  options: EvaluateOptions,
): Promise<{ readonly evaluation: Evaluation; readonly rollouts: readonly Rollout[] }> {
  const rollouts: Rollout[] = [];
  const evaluation = await evaluate({ ...options, onRollout: (rollout) => rollouts.push(rollout) });
  return { evaluation, rollouts: rollouts.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

/** The same environment, keeping the ids of the rollouts it was asked for. */
export function counted(environment: Environment): { readonly environment: Environment; readonly asked: string[] } {
  const asked: string[] = [];
  const rollout: Environment["rollout"] = (request) => {
    asked.push(request.identity.id);
    return environment.rollout(request);
  };
  return { environment: withMembers(environment, { rollout }), asked };
}

export async function rowsOf(directory: string): Promise<Rollout[]> {
  const rows: Rollout[] = [];
  for await (const row of readRollouts(directory)) rows.push(row);
  return rows;
}

/** Without what two runs of the same evaluation may differ in. */
export function timeless(evaluation: Evaluation): Evaluation {
  return { ...evaluation, seconds: null, directory: null };
}
