// What `hone eval` is asked to do, as one configuration: an environment and flags, or a file with flags over it. Both are checked by the
// schema of evaluation files, so both mean the same.
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type ConfigText, type FindPlace, parseToml, toFile, type TomlFile, writeToml } from "@hone/config";
import { HoneError, type JsonObject } from "@hone/core";
import { EvalConfig, type EvalEnvConfig, readMatrix } from "@hone/eval";
import { readArguments } from "../environment/arguments.ts";
import type { EvalFlags } from "./eval-flags.ts";

export interface EvalRequest {
  readonly config: EvalConfig;
  /** Several environments or models in a file: the result is a table. */
  readonly isMatrix: boolean;
  /** What was understood in another sense than written. */
  readonly notes: readonly string[];
  /** Where a value of the file was written; undefined without a file. */
  readonly place: FindPlace | undefined;
}

const defaults = { numTasks: 20, groupSize: 3 } as const;

export async function readRequest(target: string, flags: EvalFlags, cwd: string): Promise<EvalRequest> {
  return /\.toml$/i.test(target) ? readFileRequest(target, flags, cwd) : readEnvironmentRequest(target, flags, cwd);
}

async function readEnvironmentRequest(id: string, flags: EvalFlags, cwd: string): Promise<EvalRequest> {
  const { model, numTasks = defaults.numTasks, set = [] } = flags;
  if (model === undefined && !set.some((text) => /^\s*models?\s*=/.test(text))) throw noModel(id);
  const args = readArguments(flags);
  const input = {
    ...defined({ model, numTasks: numTasks === "all" ? undefined : numTasks }),
    groupSize: flags.groupSize ?? defaults.groupSize,
    ...defined(globalFlags(flags)),
    env: [{ id, ...(Object.keys(args).length === 0 ? {} : { args }), ...defined(environmentFlags(flags)) }],
  };
  const text = writeToml(toFile(EvalConfig, input) as object);
  const { config, notes } = await readMatrix({ files: [{ path: "the command line", text }], set, cwd });
  return { config, isMatrix: isMatrix(config), notes, place: undefined };
}

async function readFileRequest(file: string, flags: EvalFlags, cwd: string): Promise<EvalRequest> {
  if (flags.arg !== undefined || flags.args !== undefined) {
    throw new HoneError(`\`--arg\` is for one environment, and ${file} may hold several.`, {
      code: "usage",
      hint: "Write `args = { ... }` there, or add --set env.0.args.name=value.",
    });
  }
  const source = await readFile(resolve(cwd, file), "utf8").then(
    (text): ConfigText => ({ path: file, text }),
    () => undefined,
  );
  const written = source === undefined ? undefined : tryParse(source);
  const named = modelFlag(flags.model, written?.value);
  // A file that could not be read or parsed goes to the reader of configurations all the same: it says everything that is wrong.
  const { config, notes } = await readMatrix({ files: [source ?? file, ...named], set: flags.set ?? [], cwd });
  const changed = withFlags(config, flags);
  return { config: changed, isMatrix: isMatrix(changed), notes, place: written?.place };
}

function tryParse({ text, path }: ConfigText): TomlFile | undefined {
  try {
    return parseToml(text, path);
  } catch {
    return undefined;
  }
}

/** `--model` takes the place of what the file names, under the key that the file uses. */
function modelFlag(model: string | undefined, written: JsonObject | undefined): ConfigText[] {
  if (model === undefined) return [];
  const isList = written !== undefined && Object.hasOwn(written, "models");
  return [{ path: "--model", text: writeToml(isList ? { models: [model] } : { model }) }];
}

/** A flag holds for every environment of the file, over what the file says. */
function withFlags(config: EvalConfig, flags: EvalFlags): EvalConfig {
  const { numTasks, groupSize } = flags;
  const { sampling, ...rest } = defined(globalFlags(flags));
  const count = numTasks === "all" ? undefined : numTasks;
  const envs = config.env.map((env): EvalEnvConfig => {
    const { numTasks: ownTasks, groupSize: ownSize, ...others } = env;
    return {
      ...others,
      ...defined({
        numTasks: numTasks === undefined ? ownTasks : undefined,
        groupSize: groupSize === undefined ? ownSize : undefined,
      }),
      ...defined(environmentFlags(flags)),
      ...(env.sampling === undefined ? {} : { sampling: { ...env.sampling, ...sampling } }),
    };
  });
  const { numTasks: fileTasks, ...others } = config;
  return {
    ...others,
    ...defined({ numTasks: numTasks === undefined ? fileTasks : count }),
    ...defined({ groupSize }),
    ...rest,
    sampling: { ...config.sampling, ...sampling },
    env: envs,
  };
}

function globalFlags({ seed, concurrency, maxTokens, temperature, endpoints, envFile }: EvalFlags) {
  const sampling = defined({ maxTokens, temperature });
  return {
    seed,
    concurrency,
    sampling: Object.keys(sampling).length === 0 ? undefined : sampling,
    endpoints,
    envFile: envFile === undefined ? undefined : [...envFile],
  };
}

function environmentFlags({ split, maxTurns, system, harness, workers }: EvalFlags) {
  return { split, maxTurns, system, harness: harness === undefined ? undefined : { id: harness }, workers };
}

function isMatrix({ env, models }: EvalConfig): boolean {
  return env.length > 1 || (models?.length ?? 1) > 1;
}

function noModel(id: string): HoneError {
  return new HoneError("Which model? Name one with --model.", {
    code: "usage",
    hint: `Offline: hone eval ${id} --model scripted`,
  });
}

type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
/** Without the members that are undefined: what was not given. */
function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>;
}
