// An algorithm of one's own: a module whose default export is an `Algorithm`, or a function that makes one of its parameters.
// What a module exports has no type here, so it is looked at before the run starts: a mistake costs a second, not an hour.
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type Algorithm, HoneError, type JsonObject, type LossSpec } from "@hone/core";
import { importModule } from "@hone/env/load";
import * as z from "zod";
import type { AlgorithmConfig } from "./config.ts";
import { createAlgorithm } from "./create.ts";
import type { AlgorithmContext } from "./normaliser-config.ts";

export interface LoadAlgorithmOptions {
  /** Where a relative path starts. */
  readonly cwd: string;
  /** Given to the module's function. */
  readonly parameters?: JsonObject;
}

/** Any algorithm a configuration can name. */
export async function openAlgorithm(
  config: AlgorithmConfig,
  { cwd, ...context }: AlgorithmContext & Pick<LoadAlgorithmOptions, "cwd">,
): Promise<Algorithm> {
  if (config.type !== "file") return createAlgorithm(config, context);
  return loadAlgorithm(config.path, { cwd, parameters: config.parameters });
}

export async function loadAlgorithm(path: string, { cwd, parameters = {} }: LoadAlgorithmOptions): Promise<Algorithm> {
  const file = resolve(cwd, path);
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) {
    throw mistake(`There is no file ${path} with an algorithm.`, `Looked for ${file}. Correct algorithm.path.`);
  }
  const { default: exported } = await importModule(file);
  if (exported === undefined) throw mistake(`${path} has no default export.`, howTo);
  const isMaker = typeof exported === "function";
  const unused = Object.keys(parameters);
  if (!isMaker && unused.length > 0) {
    throw mistake(
      `${path} exports an algorithm that takes no parameters, and ${unused.join(", ")} is set.`,
      "Export a function of the parameters, or leave [algorithm] parameters out.",
    );
  }
  return checked(isMaker ? await made(exported as Maker, parameters, path) : exported, path);
}

type Maker = (parameters: JsonObject) => unknown;

const howTo =
  'Write `export default { name, needs: [], loss: { type: "importance_sampling" }, credit(group, state) { ... } }`, or a function that returns this.';

async function made(make: Maker, parameters: JsonObject, path: string): Promise<unknown> {
  try {
    return await make(parameters);
  } catch (cause) {
    if (HoneError.is(cause)) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new HoneError(`The algorithm of ${path} could not be made: ${reason}`, {
      code: "algorithm",
      hint: "Its function was called with [algorithm] parameters.",
      cause,
    });
  }
}

const ratio = z.number().min(0);
const Loss: z.ZodType<LossSpec> = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("none") }),
  z.strictObject({ type: z.literal("cross_entropy") }),
  z.strictObject({ type: z.literal("importance_sampling") }),
  z.strictObject({ type: z.literal("ppo"), clipLow: ratio, clipHigh: ratio }),
  z.strictObject({ type: z.literal("cispo"), clipLow: ratio, clipHigh: ratio }),
  z.strictObject({ type: z.literal("dro"), beta: z.number() }),
  z.strictObject({ type: z.literal("dppo"), maskLow: ratio, maskHigh: ratio, klWeight: z.number() }),
]);
const losses = "none, cross_entropy, importance_sampling, ppo, cispo, dro, dppo";

function checked(value: unknown, path: string): Algorithm {
  if (typeof value !== "object" || value === null) {
    throw mistake(`The default export of ${path} is no algorithm: it gives ${wordFor(value)}.`, howTo);
  }
  const { name, needs, loss, credit, finish } = value as Readonly<Record<keyof Algorithm, unknown>>;
  const wrong = (what: string, hint: string): HoneError => mistake(`The algorithm of ${path} ${what}`, hint);
  if (typeof name !== "string" || name === "") throw wrong("has no name.", 'Give it one: name: "mine".');
  if (typeof credit !== "function") {
    const said = credit === undefined ? "has no credit function." : `has ${wordFor(credit)} as credit.`;
    throw wrong(said, "credit(group, state) gives { credit: one number per rollout, state }.");
  }
  if (!Array.isArray(needs) || needs.some((need) => need !== "reference" && need !== "teacher")) {
    throw wrong("has wrong needs.", 'needs is a list of "reference" and "teacher"; [] when it needs neither.');
  }
  if (typeof loss !== "function") {
    const { error } = Loss.safeParse(loss);
    if (error !== undefined) {
      const [issue] = error.issues;
      const where = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}`;
      const said = loss === undefined ? "has no loss." : `has a wrong loss${where}: ${issue?.message ?? "not known"}.`;
      throw wrong(
        said,
        `loss is { type, ... } of one of ${losses}, or a function (logprobs, sample) => { value, gradient }.`,
      );
    }
  }
  if (finish !== undefined && typeof finish !== "function") {
    throw wrong(`has ${wordFor(finish)} as finish.`, "finish(batch) gives the samples back, or is left out.");
  }
  return value as Algorithm;
}

function wordFor(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? "an array" : `a value of type ${typeof value}`;
}

function mistake(message: string, hint: string): HoneError {
  return new HoneError(message, { code: "algorithm", hint });
}
