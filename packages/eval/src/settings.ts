// run.toml of an evaluation: everything that decides its results, as it was resolved. Resuming compares it key by key, in the file's spelling,
// because results made with other settings cannot be mixed with these.
import { parseToml, toFile, validate, writeToml } from "@hone/config";
import { HoneError, type Json, type JsonObject, Sampling } from "@hone/core";
import * as z from "zod";
import type { EvaluateOptions, Plan } from "./plan.ts";

export const EvaluationSettings = z.strictObject({
  env: z.string().describe("the environment's name in this evaluation"),
  version: z.string().describe("version of the package it came from"),
  model: z.string(),
  split: z.enum(["train", "eval", "all"]),
  numTasks: z.int().positive().exactOptional().describe("all tasks unless given"),
  groupSize: z.int().positive().describe("rollouts per task"),
  seed: z.int(),
  shuffle: z.boolean(),
  passThreshold: z.number().describe("a rollout is correct from this reward on"),
  harness: z.string().exactOptional(),
  rescoredFrom: z.string().exactOptional().describe("the directory whose rollouts were scored again"),
  sampling: Sampling,
  settings: z.strictObject({
    system: z.string().exactOptional(),
    tools: z.array(z.string()).exactOptional(),
    limits: z.record(z.string(), z.number()).exactOptional(),
  }),
  config: z.record(z.string(), z.json()).describe("what the caller wants kept: environment id, arguments"),
});
export type EvaluationSettings = z.output<typeof EvaluationSettings>;

export function settingsOf(plan: Plan, options: EvaluateOptions): EvaluationSettings {
  const { system, tools, limits } = options.settings ?? {};
  return {
    env: plan.env,
    version: plan.version,
    model: options.model.name,
    split: plan.split,
    ...(plan.numTasks === undefined ? {} : { numTasks: plan.numTasks }),
    groupSize: plan.groupSize,
    seed: plan.seed,
    shuffle: plan.shuffle,
    passThreshold: plan.passThreshold,
    ...(options.harness === undefined ? {} : { harness: options.harness.id }),
    sampling: { ...options.sampling } as EvaluationSettings["sampling"],
    settings: {
      ...(system === undefined ? {} : { system }),
      ...(tools === undefined ? {} : { tools: [...tools] }),
      ...(limits === undefined ? {} : { limits: definedOnly(limits) }),
    },
    config: { ...options.config } as EvaluationSettings["config"],
  };
}

export function writeSettings(settings: EvaluationSettings): string {
  return writeToml(settings, EvaluationSettings);
}

export async function readSettings(text: string, file: string): Promise<EvaluationSettings> {
  const { value, place } = parseToml(text, file);
  return validate({ schema: EvaluationSettings, value, place });
}

/** Throws unless results made with `saved` may be continued with `now`. More tasks are welcome; how a pass is counted may change. */
export function checkSameSettings(saved: EvaluationSettings, now: EvaluationSettings, directory: string): void {
  const savedTasks = saved.numTasks ?? Number.POSITIVE_INFINITY;
  if ((now.numTasks ?? Number.POSITIVE_INFINITY) < savedTasks) {
    throw differs(directory, "num_tasks", saved.numTasks ?? "all", now.numTasks ?? "all");
  }
  const difference = firstDifference(comparable(saved), comparable(now), []);
  if (difference === undefined) return;
  throw differs(directory, difference.path.join("."), difference.saved, difference.now);
}

function comparable({ numTasks: _numTasks, passThreshold: _passThreshold, ...settings }: EvaluationSettings): Json {
  return toFile(EvaluationSettings, settings) as Json;
}

interface Difference {
  readonly path: readonly string[];
  readonly saved: Json | undefined;
  readonly now: Json | undefined;
}

function firstDifference(
  saved: Json | undefined,
  now: Json | undefined,
  path: readonly string[],
): Difference | undefined {
  if (!isTable(saved ?? now) || !isTable(now ?? saved)) {
    return JSON.stringify(saved) === JSON.stringify(now) ? undefined : { path, saved, now };
  }
  // A table that is not there is an empty one.
  const [before, after] = [(saved ?? {}) as JsonObject, (now ?? {}) as JsonObject];
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const found = firstDifference(before[key], after[key], [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function differs(directory: string, key: string, saved: Json | undefined, now: Json | undefined): HoneError {
  // Arguments of an environment may hold what must not be printed.
  const isSecret = /key|secret|token|password|credential/i.test(key);
  const word = (value: Json | undefined): string => {
    if (value === undefined) return "not set";
    return isSecret && typeof value === "string" ? "(hidden)" : JSON.stringify(value);
  };
  return new HoneError(`${directory} cannot be resumed: ${key} was ${word(saved)} and is now ${word(now)}.`, {
    code: "resume-mismatch",
    hint: "Resume with the same settings, or evaluate into another directory. Only num_tasks may grow.",
  });
}

function isTable(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function definedOnly(limits: object): Record<string, number> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
