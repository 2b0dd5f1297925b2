// Whether a run may go on under another configuration. What decides the meaning of its numbers may not change; how long it goes on, and who is told, may.
import { canonicalJson, HoneError, type Json, type JsonObject } from "@hone/core";
import { toFile } from "@hone/config";
import { type ResolvedRun, RunConfig } from "@hone/train";

const changeable: readonly string[] = [
  "max_steps",
  "epochs",
  "name",
  "concurrency",
  "retry",
  "checkpoint",
  "env_file",
  "endpoints",
  "wandb",
  "tensorboard",
  "mlflow",
];

export function checkSameRun(saved: ResolvedRun, asked: ResolvedRun, name: string): void {
  const [before, after] = [table(saved), table(asked)];
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (changeable.includes(key) || canonicalJson(before[key] ?? null) === canonicalJson(after[key] ?? null)) continue;
    const [path, was, is] = firstDifference(before[key], after[key], key);
    throw new HoneError(`\`${name}\` cannot go on with another configuration: ${path} was ${was} and is now ${is}.`, {
      code: "resume-mismatch",
      hint: `Resume it as it is (hone train --resume ${name}), or start a new run. Only ${changeable.slice(0, 2).join(", ")} and where metrics go may change.`,
    });
  }
}

function table(run: ResolvedRun): JsonObject {
  return JSON.parse(JSON.stringify(toFile(RunConfig, run))) as JsonObject;
}

function firstDifference(
  was: Json | undefined,
  is: Json | undefined,
  path: string,
): readonly [path: string, was: string, is: string] {
  if (isBranch(was) && isBranch(is)) {
    for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
      if (canonicalJson(was[key] ?? null) === canonicalJson(is[key] ?? null)) continue;
      return firstDifference(was[key], is[key], `${path}.${key}`);
    }
  }
  // Arguments of an environment may hold what must not be printed.
  const isSecret = /key|secret|token|password|credential/i.test(path.split(".").at(-1) ?? "");
  const word = (value: Json | undefined): string =>
    value === undefined ? "not set" : isSecret && typeof value === "string" ? "(hidden)" : JSON.stringify(value);
  return [path, word(was), word(is)];
}

function isBranch(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null;
}
