// Files and overrides to a resolved run. Files compose from left to right: tables merge, arrays replace, overrides come last.
// Names of relatives are understood (aliases.ts); whatever is wrong is one error with every place.
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type ConfigText, type FindPlace, readConfig } from "@hone/config";
import { HoneError } from "@hone/core";
import * as z from "zod";
import { noCounterpart, runAliases } from "./aliases.ts";
import type { RowContext } from "./relatives/row.ts";
import { type ResolvedRun, resolveRun, writeRun } from "./resolve.ts";
import { RunConfig, RunFields } from "./run-config.ts";

export interface LoadRunOptions {
  /** Paths, or texts with the name to call them by. */
  readonly files: readonly (string | ConfigText)[];
  /** `sampling.temperature=0.8`, as after `--set`. */
  readonly overrides?: readonly string[];
  /** Where relative paths start. */
  readonly cwd?: string;
}

export interface LoadedRun {
  readonly config: ResolvedRun;
  /** The resolved run as a file: what run.toml holds. */
  readonly toml: string;
  /** What was understood in another sense than written. */
  readonly notes: readonly string[];
  /** Where a setting was written, for errors found later: arguments of environments. */
  readonly place: FindPlace;
}

export async function loadRunConfig({
  files,
  overrides = [],
  cwd = process.cwd(),
}: LoadRunOptions): Promise<LoadedRun> {
  // Hydra adds a key that its base file lacks with a plus.
  const set = overrides.map((text) => text.replace(/^\++/, ""));
  const texts = await readOnce(files, cwd);
  const context = await contextOf({ files: texts, set, cwd });
  try {
    const { value, notes, place } = await readConfig({
      schema: RunConfig,
      files: texts,
      set,
      aliases: runAliases(context),
      cwd,
    });
    const config = resolveRun(value);
    return { config, toml: writeRun(config), notes: notes.map((note) => explained(note, context)), place };
  } catch (error) {
    throw withAdvice(error, files);
  }
}

export interface RunShorthand {
  readonly env: string;
  readonly model: string;
  /** As after `--set`, over what is made of `env` and `model`. */
  readonly sets?: readonly string[];
  readonly cwd?: string;
}

/** `hone train reverse-text --model M`: a run of one environment and nothing else. */
export async function runConfigFor({ env, model, sets = [], cwd }: RunShorthand): Promise<LoadedRun> {
  const own = [`model=${JSON.stringify(model)}`, `env.0.id=${JSON.stringify(env)}`];
  return loadRunConfig({ files: [], overrides: [...own, ...sets], ...(cwd === undefined ? {} : { cwd }) });
}

/** Files are looked at twice; a pipe can be read once. What cannot be read is left to `readConfig`, which says it best. */
async function readOnce(files: LoadRunOptions["files"], cwd: string): Promise<readonly (string | ConfigText)[]> {
  return Promise.all(
    files.map(async (file) => {
      if (typeof file !== "string") return file;
      const text = await readFile(resolve(cwd, file), "utf8").catch(() => undefined);
      return text === undefined ? file : { path: file, text };
    }),
  );
}

interface Sources {
  readonly files: readonly (string | ConfigText)[];
  readonly set: readonly string[];
  readonly cwd: string;
}

/** Just enough of the schema to find what conversions have to know, and to know which keys are arrays. */
const Glance = z.looseObject({ groupSize: z.json().exactOptional(), env: z.array(z.json()).exactOptional() });

async function contextOf(sources: Sources): Promise<RowContext> {
  const usual: RowContext = { groupSize: RunFields.shape.groupSize.parse(undefined), usesWandb: true };
  try {
    const { value } = await readConfig({ schema: Glance, ...sources, aliases: runAliases(usual) });
    return typeof value.groupSize === "number" ? { ...usual, groupSize: value.groupSize } : usual;
  } catch {
    return usual; // what is wrong is found again, and told, by the real reading
  }
}

function explained(note: string, { groupSize }: RowContext): string {
  return note.startsWith("`data.train_batch_size`") ? `${note}, times the group size of ${groupSize}` : note;
}

function withAdvice(error: unknown, files: LoadRunOptions["files"]): unknown {
  if (!HoneError.is(error) || error.hint !== undefined || !error.message.includes(noCounterpart)) return error;
  const file = files.find((one) => typeof one === "string") ?? "FILE";
  const hint = `\`hone config convert ${file}\` writes the file anew and lists what has no counterpart.`;
  const { code, at } = error;
  return new HoneError(error.message, { code, hint, ...(at === undefined ? {} : { at }) });
}
