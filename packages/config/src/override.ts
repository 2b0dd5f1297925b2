// `--set a.b=c`: one value put into the configuration after all files. The path is the file's spelling, array items by number;
// the value is a TOML value, and what is not TOML is text, so that names need no quotes in a shell.
import type { Place } from "@hone/core";
import { mergeTrees } from "./merge.ts";
import type { Issue } from "./place.ts";
import { readToml } from "./read-toml.ts";
import { tryParse } from "./syntax.ts";
import { entryAt, fromPlain, type Table, toPlain, type Tree, withEntry } from "./tree.ts";

export interface Override {
  readonly path: readonly string[];
  readonly value: Tree;
  readonly at: Place;
}

export function parseOverride(text: string): Override | Issue {
  const split = /^\s*((?:"[^"]*"|'[^']*'|[^"'=])+?)\s*=([^]*)$/.exec(text);
  const path = split?.[1] === undefined ? undefined : keysOf(split[1]);
  const at: Place = { file: `--set ${split?.[1] ?? text}`, line: 1, column: 1 };
  if (split === null || path === undefined) {
    return { path: "", message: "expected key=value, for example sampling.temperature=0.8", at };
  }
  const value = valueOf((split[2] ?? "").trim(), at);
  return "message" in value ? value : { path, value, at };
}

function keysOf(text: string): string[] | undefined {
  const program = tryParse(`${text} = 0`);
  const pair = "type" in program && program.body[0].body.length === 1 ? program.body[0].body[0] : undefined;
  return pair?.type === "TOMLKeyValue"
    ? pair.key.keys.map((key) => (key.type === "TOMLBare" ? key.name : key.value))
    : undefined;
}

function valueOf(text: string, at: Place): Tree | Issue {
  const { table, issues } = readToml(`value = ${text}`, at.file);
  const value = table.entries.size === 1 ? entryAt(table, ["value"])?.value : undefined;
  if (value !== undefined && issues.length === 0) return fromPlain(toPlain(value), at);
  // An opening bracket or quote, or a number that was read and refused, is meant as TOML and gets TOML's complaint.
  const isMeantAsToml = /^[[{"']/.test(text) || value !== undefined;
  const [issue] = issues;
  return isMeantAsToml && issue !== undefined ? { ...issue, at } : { kind: "leaf", value: text, at };
}

/** The configuration with the override in it: tables merge, all else is replaced. `isList` asks the schema about what is not there yet. */
export function applyOverride(
  root: Table,
  { path, value, at }: Override,
  isList: (path: readonly string[]) => boolean,
): Table | Issue {
  const put = (tree: Tree | undefined, depth: number): Tree | Issue => {
    const key = path[depth];
    if (key === undefined) return tree === undefined ? value : mergeTrees(tree, value);
    const here = path.slice(0, depth);
    const parent = tree ?? (isList(here) ? { kind: "list" as const, items: [], at } : undefined);
    if (parent?.kind !== "list") {
      const table: Table = parent?.kind === "table" ? parent : { kind: "table", entries: new Map(), at };
      const known = table.entries.get(key);
      const child = put(known?.value, depth + 1);
      const isTarget = depth === path.length - 1;
      const keyAt = isTarget ? at : (known?.keyAt ?? at);
      return "message" in child ? child : withEntry(table, key, { keyAt, value: child });
    }
    const index = /^\d+$/.test(key) ? Number(key) : undefined;
    if (index === undefined || index > parent.items.length) {
      return { path: "", message: badIndex(here, parent.items.length), at };
    }
    const child = put(parent.items[index], depth + 1);
    if ("message" in child) return child;
    return { ...parent, items: [...parent.items.slice(0, index), child, ...parent.items.slice(index + 1)] };
  };
  return put(root, 0) as Table | Issue;
}

function badIndex(path: readonly string[], count: number): string {
  const name = path.join(".");
  return `\`${name}\` is an array of ${count}: name an item by its number, ${name}.0 to ${name}.${count} (which adds one).`;
}
