// Where the results of an evaluation go: evals/<env>--<model>--<id>, one folder per environment and model, one id per command. Going on
// without a folder named means the newest id that still has something to do with the same settings.
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { nearest, parseToml, validate } from "@hone/config";
import { canonicalJson, HoneError, type Json } from "@hone/core";
import { type EvalConfig, EvaluationSettings } from "@hone/eval";
import { evalDirectoryName, isRun, listRuns, openRun, type RunSummary } from "@hone/store";

export interface Cell {
  readonly env: string;
  readonly model: string;
}

export interface Directories {
  readonly of: (cell: Cell) => string;
  readonly isResumed: boolean;
}

export interface DirectoryOptions {
  readonly cwd: string;
  /** Every environment has a name. */
  readonly config: EvalConfig;
  readonly isMatrix: boolean;
  readonly output: string | undefined;
  /** "" for the newest unfinished one. */
  readonly resume: string | undefined;
}

export async function chooseDirectories(options: DirectoryOptions): Promise<Directories> {
  const { cwd, config, isMatrix, output, resume } = options;
  const isResumed = resume !== undefined;
  const named = resume === "" ? undefined : resume;
  const given = named ?? output;
  if (given !== undefined) {
    const isOld = named !== undefined && !isMatrix;
    const root = isOld ? await evaluationFolder(given, cwd) : resolve(cwd, given);
    return { of: (cell) => (isMatrix ? join(root, cellName(cell)) : root), isResumed };
  }
  const id = isResumed ? await newestUnfinished(join(cwd, "evals"), cellsOf(config), config) : newId();
  return { of: (cell) => join(cwd, "evals", evalDirectoryName({ ...cell, id })), isResumed };
}

/** A folder that holds an evaluation, as named or under evals/. */
export async function evaluationFolder(name: string, cwd: string): Promise<string> {
  const candidates = [resolve(cwd, name), join(cwd, "evals", name)];
  for (const candidate of candidates) if (await isRun(candidate)) return candidate;
  const known = (await listRuns(join(cwd, "evals"))).map((run) => relative(cwd, run.directory));
  const meant = nearest(name, known) ?? nearest(join("evals", name), known);
  const why = existsSync(resolve(cwd, name)) ? "is not an evaluation: it has no run.toml" : "does not exist";
  throw new HoneError(`\`${name}\` ${why}.${meant === undefined ? "" : ` Did you mean \`${meant}\`?`}`, {
    code: "not-a-run",
    hint:
      known.length === 0
        ? "There is no evaluation in evals/ yet: `hone eval <env> --model M` makes one."
        : `The newest is ${known[0]}.`,
  });
}

export function cellsOf({ env, model, models }: EvalConfig): Cell[] {
  const names = models ?? (model === undefined ? [] : [model]);
  return env.flatMap(({ name = "" }) => names.map((one) => ({ env: name, model: one })));
}

function cellName(cell: Cell): string {
  return evalDirectoryName({ ...cell, id: "x" }).slice(0, -"--x".length);
}

function newId(): string {
  return randomBytes(4).readUInt32BE().toString(36).padStart(7, "0").slice(-6);
}

async function newestUnfinished(root: string, cells: readonly Cell[], config: EvalConfig): Promise<string> {
  const byId = new Map<string, Map<Cell, RunSummary>>();
  for (const run of await listRuns(root)) {
    const cell = cells.find((one) => run.name.startsWith(`${cellName(one)}--`));
    if (cell === undefined) continue;
    const id = run.name.slice(cellName(cell).length + 2);
    byId.set(id, (byId.get(id) ?? new Map<Cell, RunSummary>()).set(cell, run));
  }
  for (const [id, runs] of byId) {
    if ([...runs.values()].some(({ lock }) => lock?.status === "alive")) continue;
    const states = await Promise.all([...runs].map(([cell, run]) => stateOf(run.directory, cell, config)));
    if (states.includes("other")) continue;
    if (states.includes("unfinished") || runs.size < cells.length) return id;
  }
  const [first] = cells;
  const what = cells.length === 1 ? `${first?.env} on ${first?.model}` : "these environments and models";
  throw new HoneError(
    `There is nothing to resume: evals/ has no unfinished evaluation of ${what} with these settings.`,
    {
      code: "nothing-to-resume",
      hint: "Leave --resume out to start one, or name its folder: --resume evals/...",
    },
  );
}

/** "other" when its results cannot be gone on with under this configuration. */
async function stateOf(
  directory: string,
  cell: Cell,
  config: EvalConfig,
): Promise<"finished" | "unfinished" | "other"> {
  const run = await openRun(directory);
  const saved = await readSettings(run.config, directory).catch(() => undefined);
  const env = config.env.find(({ name }) => name === cell.env);
  if (saved === undefined || env === undefined || saved.rescoredFrom !== undefined) return "other";
  const wanted = env.numTasks ?? config.numTasks ?? Number.POSITIVE_INFINITY;
  const has = saved.numTasks ?? Number.POSITIVE_INFINITY;
  const isSame =
    saved.groupSize === (env.groupSize ?? config.groupSize) &&
    saved.seed === config.seed &&
    saved.shuffle === config.shuffle &&
    isEqual(saved.sampling, { ...config.sampling, ...env.sampling }) &&
    saved.config["id"] === env.id &&
    isEqual(saved.config["args"], env.args) &&
    has <= wanted;
  if (!isSame) return "other";
  let failed: Json | undefined;
  for await (const { value } of run.read("evals", { onBadRow: () => undefined })) failed = value["failed"] as Json;
  return failed === 0 && has === wanted ? "finished" : "unfinished";
}

export async function readSettings(text: string, directory: string): Promise<EvaluationSettings> {
  const { value, place } = parseToml(text, join(directory, "run.toml"));
  return validate({ schema: EvaluationSettings, value, place });
}

function isEqual(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
