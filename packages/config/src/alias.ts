// Other spellings of a setting, moved to ours before validation, with one note each. Applied to each file and each override on its own:
// a later source in either spelling wins over an earlier one; both spellings in one file are an error.
import type { Json } from "@hone/core";
import type { Override } from "./override.ts";
import { formatPlace, type Issue } from "./place.ts";
import { type Entry, fromPlain, type Table, toPlain, type Tree, withEntry } from "./tree.ts";

/** Paths are dotted, in the file's spelling. A path through an array means each of its items: `env.system_prompt`. */
export interface Alias {
  readonly from: string;
  readonly to: string;
  readonly convert?: (value: Json) => Json;
}

export interface AliasLog {
  readonly notes: Set<string>;
  readonly issues: Issue[];
}

export function applyAlias(root: Table, alias: Alias, log: AliasLog): Table {
  const { shared, from, to } = pathsOf(alias);
  const inside = (tree: Tree, path: readonly string[]): Tree => {
    if (tree.kind === "list") return { ...tree, items: tree.items.map((item) => inside(item, path)) };
    if (tree.kind === "leaf") return tree;
    const [key, ...rest] = path;
    if (key === undefined) return move(tree, { alias, from, to, log });
    const entry = tree.entries.get(key);
    return entry === undefined ? tree : withEntry(tree, key, { ...entry, value: inside(entry.value, rest) });
  };
  return inside(root, shared) as Table;
}

/** An override whose path starts with the alias, under our name. Undefined when the conversion refused it. */
export function aliasOverride(override: Override, alias: Alias, log: AliasLog): Override | undefined {
  const { shared, from, to } = pathsOf(alias);
  const kept = matchLength(override.path, shared);
  if (kept === undefined) return override;
  const below = override.path.slice(kept);
  if (!from.every((key, index) => below[index] === key)) return override;
  const prefix = override.path.slice(0, kept);
  const rest = below.slice(from.length);
  const isMoved = alias.convert === undefined;
  const value = converted(isMoved ? override.value : nest(rest, override), alias, log);
  return value && { ...override, path: [...prefix, ...to, ...(isMoved ? rest : [])], value };
}

/** `--set old.a=1` where all of `old` is converted: the table that holds only `a`. */
function nest(path: readonly string[], { value, at }: Override): Tree {
  return path.reduceRight<Tree>(
    (inner, key) => ({ kind: "table", entries: new Map([[key, { keyAt: at, value: inner }]]), at }),
    value,
  );
}

interface Move {
  readonly alias: Alias;
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly log: AliasLog;
}

function move(table: Table, { alias, from, to, log }: Move): Table {
  const [rest, entry] = take(table, from);
  if (entry === undefined) return table;
  const known = find(rest, to);
  if (known !== undefined) {
    const where = known.keyAt === undefined ? "" : ` at ${formatPlace(known.keyAt)}`;
    const message = `\`${alias.from}\` is another name of \`${alias.to}\`, which is set${where}. Keep one of them.`;
    log.issues.push({ path: "", message, at: entry.keyAt });
    return rest;
  }
  const value = converted(entry.value, alias, log);
  return value === undefined ? rest : put(rest, to, { ...entry, value });
}

/** Undefined when the conversion refused the value; the issue says why. */
function converted(value: Tree, alias: Alias, log: AliasLog): Tree | undefined {
  log.notes.add(`\`${alias.from}\` is understood as \`${alias.to}\``);
  if (alias.convert === undefined) return value;
  try {
    return fromPlain(alias.convert(toPlain(value)), value.at);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    log.issues.push({ path: alias.from, message, at: value.at });
    return undefined;
  }
}

/** The table without the entry, and the entry. Tables that this empties go too: they held nothing else. */
function take(table: Table, [key, ...rest]: readonly string[]): [Table, Entry | undefined] {
  const entry = key === undefined ? undefined : table.entries.get(key);
  if (key === undefined || entry === undefined) return [table, undefined];
  if (rest.length === 0) return [withEntry(table, key, undefined), entry];
  if (entry.value.kind !== "table") return [table, undefined];
  const [inner, taken] = take(entry.value, rest);
  if (taken === undefined) return [table, undefined];
  return [withEntry(table, key, inner.entries.size === 0 ? undefined : { ...entry, value: inner }), taken];
}

function find(table: Table, path: readonly string[]): Entry | undefined {
  let entry: Entry | undefined;
  let current: Tree | undefined = table;
  for (const key of path) {
    entry = current?.kind === "table" ? current.entries.get(key) : undefined;
    current = entry?.value;
  }
  return entry;
}

function put(table: Table, [key = "", ...rest]: readonly string[], entry: Entry): Table {
  if (rest.length === 0) return withEntry(table, key, entry);
  const known = table.entries.get(key);
  const inner: Table =
    known?.value.kind === "table" ? known.value : { kind: "table", entries: new Map(), at: entry.keyAt };
  return withEntry(table, key, { keyAt: known?.keyAt ?? entry.keyAt, value: put(inner, rest, entry) });
}

/** The part both paths begin with is where to look; arrays are allowed only there. */
function pathsOf(alias: Alias): { shared: readonly string[]; from: readonly string[]; to: readonly string[] } {
  const from = alias.from.split(".");
  const to = alias.to.split(".");
  let shared = 0;
  while (shared < Math.min(from.length, to.length) - 1 && from[shared] === to[shared]) shared++;
  return { shared: from.slice(0, shared), from: from.slice(shared), to: to.slice(shared) };
}

/** How many segments of `path` spell `keys`, item numbers included; undefined when they do not. */
function matchLength(path: readonly string[], keys: readonly string[]): number | undefined {
  let at = 0;
  for (const key of keys) {
    if (path[at] !== key) return undefined;
    at++;
    while (/^\d+$/.test(path[at] ?? "")) at++;
  }
  return at;
}
