// Files and overrides to one validated value. Each file is read with its places, aliases are moved to our names, files compose from
// left to right, overrides come last, and the schema has the final word. All problems of all of these are one error.
import type * as z from "zod";
import { type Alias, type AliasLog, aliasOverride, applyAlias } from "./alias.ts";
import { positionAt, snakeCase } from "./keys.ts";
import { mergeTables } from "./merge.ts";
import { applyOverride, parseOverride } from "./override.ts";
import { type FindPlace, inOrder, type Issue, issuesError } from "./place.ts";
import { readToml } from "./read-toml.ts";
import { readSource } from "./source.ts";
import { type Entry, entryAt, type Table, toPlain } from "./tree.ts";
import { check } from "./validate.ts";

export interface ReadConfigOptions<Schema extends z.ZodType> {
  readonly schema: Schema;
  /** Paths, or texts with the name to call them by. Tables merge, arrays replace, later files win. */
  readonly files: readonly (string | ConfigText)[];
  /** `["sampling.temperature=0.8", "env.0.id=reverse-text"]`, in order, after all files. */
  readonly set?: readonly string[];
  readonly aliases?: readonly Alias[];
  /** Where relative paths start. */
  readonly cwd?: string;
}
export interface ConfigText {
  readonly path: string;
  readonly text: string;
}

export interface Config<T> {
  readonly value: T;
  /** What was understood in another sense than written: aliases. */
  readonly notes: readonly string[];
  /** Where the value (or `of` it the key) at a path was written, in either spelling. Undefined for a default. */
  readonly place: FindPlace;
}

/** Throws a `HoneError` with code "config" whose message draws every problem; `at` is the first. */
export async function readConfig<Schema extends z.ZodType>({
  schema,
  files,
  set = [],
  aliases = [],
  cwd = process.cwd(),
}: ReadConfigOptions<Schema>): Promise<Config<z.output<Schema>>> {
  const sources = await Promise.all(
    files.map(async (file) =>
      typeof file === "string"
        ? { path: file, text: await readSource(file, { what: "configuration file", cwd }) }
        : file,
    ),
  );
  const log: AliasLog = { notes: new Set(), issues: [] };
  const composed = sources.map((source) => readFileTable(source, aliases, log)).reduce(mergeTables, empty);
  const root = set.reduce((table, text) => override(table, text, { schema, aliases, log }), composed);

  const place: FindPlace = (path, of = "value") => {
    const entry = findEntry(root, path);
    return of === "key" ? entry?.keyAt : entry?.value.at;
  };
  const checked = await check({ schema, value: toPlain(root), place, isPartial: log.issues.length > 0 });
  const issues = [...log.issues, ...("issues" in checked ? checked.issues : [])];
  const order = sources.map(({ path }) => path);
  if (issues.length > 0 || "issues" in checked) throw issuesError(inOrder(issues, order));
  return { value: checked.value, notes: [...log.notes], place };
}

const empty: Table = { kind: "table", entries: new Map(), at: undefined };

function readFileTable({ path, text }: ConfigText, aliases: readonly Alias[], log: AliasLog): Table {
  const { table, issues } = readToml(text, path);
  log.issues.push(...issues);
  return aliases.reduce((moved, alias) => applyAlias(moved, alias, log), table);
}

interface OverrideIn {
  readonly schema: z.ZodType;
  readonly aliases: readonly Alias[];
  readonly log: AliasLog;
}

function override(table: Table, text: string, { schema, aliases, log }: OverrideIn): Table {
  const parsed = parseOverride(text);
  if (isIssue(parsed)) {
    log.issues.push(parsed);
    return table;
  }
  const moved = aliases.reduce<typeof parsed | undefined>(
    (current, alias) => current && aliasOverride(current, alias, log),
    parsed,
  );
  if (moved === undefined) return table;
  const value = toPlain(table);
  const applied = applyOverride(table, moved, (path) => positionAt({ schema, value, path, side: "file" }).isList);
  if (!isIssue(applied)) return applied;
  log.issues.push(applied);
  return table;
}

function isIssue(value: object): value is Issue {
  return "message" in value;
}

/** By the name as given, else by its file name: `groupSize` finds `group_size`. */
function findEntry(root: Table, path: readonly (string | number)[]): Entry | undefined {
  let entry: Entry | undefined = { keyAt: root.at, value: root };
  for (const key of path) {
    if (entry === undefined) return undefined;
    entry = entryAt(entry.value, [key]) ?? entryAt(entry.value, [snakeCase(String(key))]);
  }
  return entry;
}
