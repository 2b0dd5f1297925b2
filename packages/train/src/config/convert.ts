// A relative's file or command line to a file of ours, with a list of what has no counterpart. The defaults of the relative that differ
// from ours are written out, so that the result means the same. Invariant: the result is read by `loadRunConfig`.
import { parseToml, toCode, writeToml } from "@hone/config";
import { HoneError, type Json, type JsonObject } from "@hone/core";
import type * as z from "zod";
import { type LoadedRun, loadRunConfig } from "./load.ts";
import { readCommand } from "./relatives/command-line.ts";
import { primeAlgorithm } from "./relatives/prime-rl.ts";
import { at, type Dropped, isTable, leaves, rewrite, take } from "./relatives/rewrite.ts";
import type { RowContext } from "./relatives/row.ts";
import { relativeRows } from "./relatives/rows.ts";
import { RunFields } from "./run-config.ts";

export type Relative = "prime-rl" | "prime-hosted" | "rllm-verl" | "rllm-tinker" | "hone";
export type ConvertSource = { readonly toml: string; readonly path: string } | { readonly words: readonly string[] };

export interface Converted {
  readonly from: Relative;
  readonly toml: string;
  /** Keys of the source that the result says nothing of. */
  readonly dropped: readonly Dropped[];
  /** Defaults of the source that are written out, because ours differ. */
  readonly added: Readonly<Record<string, Json>>;
}

export async function convertRun(source: ConvertSource): Promise<Converted> {
  const { document, dropped } =
    "words" in source
      ? readCommand(source.words)
      : { document: parseToml(source.toml, source.path).value, dropped: [] };
  const from = "words" in source ? commandKind(source.words, document) : fileKind(document);
  const defaults = defaultsOf[from];
  const loggers = at(document, ["trainer", "logger"]);
  const usesWandb = loggers === undefined || (Array.isArray(loggers) ? loggers.includes("wandb") : loggers === "wandb");
  const context = (groupSize: number): RowContext => ({ groupSize, usesWandb });
  const glance = rewrite(document, relativeRows, context(1)).document["group_size"];
  const groupSize = typeof glance === "number" ? glance : Number(defaults["group_size"] ?? usualGroupSize);
  const rewritten = rewrite(document, relativeRows, context(groupSize));
  const added = addDefaults(rewritten.document, defaults);
  const { code, unknown } = withoutUnknown(rewritten.document);
  const toml = writeToml(inSchemaOrder(code), RunFields);
  await check(toml, from);
  return { from, toml, dropped: [...dropped, ...rewritten.dropped, ...unknown], added };
}

const usualGroupSize = RunFields.shape.groupSize.parse(undefined);

/** Dotted paths. `lora.rank` and the like are written only where there is an adapter. */
const defaultsOf: Readonly<Record<Relative, JsonObject>> = {
  "prime-rl": {
    lora: false,
    "lora.rank": 16,
    "lora.alpha": 32,
    algorithm: primeAlgorithm({}),
    "optimizer.learning_rate": 1e-6,
    "optimizer.weight_decay": 0.01,
    "optimizer.betas": [0.9, 0.999],
  },
  "prime-hosted": {
    max_steps: 100,
    batch_size: 128,
    group_size: 8,
    algorithm: primeAlgorithm({}),
    "optimizer.learning_rate": 1e-4,
  },
  "rllm-verl": {
    group_size: 8,
    lora: false,
    "optimizer.learning_rate": 1e-6,
    "optimizer.weight_decay": 0.01,
    "optimizer.betas": [0.9, 0.999],
  },
  "rllm-tinker": { group_size: 16, "lora.rank": 32, "optimizer.learning_rate": 2e-5 },
  hone: {},
};

function fileKind(document: JsonObject): Relative {
  const has = (...keys: string[]): boolean => keys.some((key) => document[key] !== undefined);
  if (has("orchestrator", "trainer", "inference") || isTable(document["model"])) return "prime-rl";
  const isHosted = has(
    "rollouts_per_example",
    "learning_rate",
    "lora_alpha",
    "buffer",
    "checkpoints",
    "adapters",
    "val",
  );
  return isHosted || has("env_files", "trajectory_strategy", "oversampling_factor", "pre_batch_filters")
    ? "prime-hosted"
    : "hone";
}

function commandKind(words: readonly string[], document: JsonObject): Relative {
  const isTinker =
    document["backend"] === "tinker" ||
    words[0] === "rllm" ||
    words.some((word) => /config-name[= ]?.*tinker/.test(word));
  return isTinker || at(document, ["model", "name"]) !== undefined ? "rllm-tinker" : "rllm-verl";
}

/** Changes the document; returns what it put there. */
function addDefaults(document: JsonObject, defaults: JsonObject): Record<string, Json> {
  const added: Record<string, Json> = {};
  const root: { [key: string]: Json } = document;
  const algorithm = root["algorithm"];
  if (isTable(algorithm) && algorithm["type"] === undefined) {
    const usual = (defaults["algorithm"] ?? { type: "grpo" }) as JsonObject;
    root["algorithm"] = { ...usual, ...algorithm };
    added["algorithm.type"] = usual["type"] ?? null;
  }
  for (const [key, value] of Object.entries(defaults)) {
    const [table = "", name] = key.split(".");
    if (name === undefined) {
      if (root[table] !== undefined) continue;
      root[table] = value;
    } else {
      if (root[table] === false || at(root, [table, name]) !== undefined) continue;
      root[table] = { ...(root[table] as JsonObject | undefined), [name]: value };
    }
    added[key] = value;
  }
  const { wandb } = root;
  if (isTable(wandb) && wandb["project"] === undefined) {
    root["wandb"] = { ...wandb, project: "hone" };
    added["wandb.project"] = "hone";
  }
  const cuts = (["top_p", "top_k", "min_p"] as const).some((key) => isCut(key, at(root, ["sampling", key])));
  if (cuts && root["allow_biased_sampling"] === undefined) {
    root["allow_biased_sampling"] = true;
    added["allow_biased_sampling"] = true;
  }
  return added;
}

function isCut(key: "top_p" | "top_k" | "min_p", value: Json | undefined): boolean {
  if (typeof value !== "number") return false;
  return key === "top_p" ? value < 1 : value > 0;
}

/** What the schema does not know is taken out. `code` is in the schema's spelling. */
function withoutUnknown(document: JsonObject): { readonly code: JsonObject; readonly unknown: Dropped[] } {
  const unknown: Dropped[] = [];
  const code = toCode(RunFields, withoutNull(document)) as JsonObject;
  const { error } = RunFields.safeParse(code);
  for (const path of (error?.issues ?? []).flatMap((issue) => unknownKeys(issue, []))) {
    const value = take(code, path);
    if (value === undefined) continue;
    for (const leaf of leaves(value, path)) unknown.push({ key: leaf.join("."), reason: "not a key that Hone knows" });
  }
  return { code, unknown };
}

function unknownKeys(issue: z.core.$ZodIssue, base: readonly string[]): (readonly string[])[] {
  const path = [...base, ...issue.path.map(String)];
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => [...path, key]);
  if (issue.code === "invalid_union") return issue.errors.flat().flatMap((nested) => unknownKeys(nested, path));
  return [];
}

/** Hydra writes null for "not set"; TOML leaves the key out. */
function withoutNull(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withoutNull(item));
  if (!isTable(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutNull(item)]));
}

function inSchemaOrder(code: JsonObject): JsonObject {
  const order = Object.keys(RunFields.shape);
  return Object.fromEntries(Object.entries(code).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)));
}

async function check(toml: string, from: Relative): Promise<LoadedRun> {
  try {
    return await loadRunConfig({ files: [{ path: "converted.toml", text: toml }] });
  } catch (error) {
    if (!HoneError.is(error)) throw error;
    throw new HoneError(`what came of it (read as ${from}) is not a run yet:\n${error.message}`, {
      code: "config",
      hint: "Correct the source, and convert it again.",
    });
  }
}
