// A TOML value that remembers where each key and value was written. Files, overrides and aliases all work on it;
// plain values are taken from it only for validation. Maps, so that a key named `__proto__` is a key like any other.
import type { Json, JsonObject, Place } from "@hone/core";

export type Tree = Leaf | List | Table;
/** Undefined when nothing was written there: an empty configuration. */
export type At = Place | undefined;

export interface Leaf {
  readonly kind: "leaf";
  readonly value: string | number | boolean | null;
  readonly at: At;
}
export interface List {
  readonly kind: "list";
  readonly items: readonly Tree[];
  readonly at: At;
}
export interface Table {
  readonly kind: "table";
  readonly entries: ReadonlyMap<string, Entry>;
  readonly at: At;
}
export interface Entry {
  /** Where the key stands; `value.at` is where its value stands. */
  readonly keyAt: At;
  readonly value: Tree;
}

export function toPlain(table: Table): JsonObject;
export function toPlain(tree: Tree): Json;
export function toPlain(tree: Tree): Json {
  switch (tree.kind) {
    case "leaf":
      return tree.value;
    case "list":
      return tree.items.map((item) => toPlain(item));
    case "table":
      return Object.fromEntries([...tree.entries].map(([key, { value }]) => [key, toPlain(value)]));
  }
}

/** A plain value, all of it written at one place: what an alias converted, what an override holds. */
export function fromPlain(value: Json, at: At): Tree {
  if (typeof value !== "object" || value === null) return { kind: "leaf", value, at };
  if (Array.isArray(value)) return { kind: "list", items: value.map((item: Json) => fromPlain(item, at)), at };
  const entries = Object.entries(value).map(([key, item]) => [key, { keyAt: at, value: fromPlain(item, at) }] as const);
  return { kind: "table", entries: new Map(entries), at };
}

/** The entry at a path, in the file's spelling. */
export function entryAt(root: Tree, path: readonly (string | number)[]): Entry | undefined {
  let entry: Entry | undefined = { keyAt: root.at, value: root };
  for (const key of path) {
    entry = entry === undefined ? undefined : childOf(entry.value, key);
  }
  return entry;
}

function childOf(tree: Tree, key: string | number): Entry | undefined {
  if (tree.kind === "table") return tree.entries.get(String(key));
  const item = tree.kind === "list" ? tree.items[Number(key)] : undefined;
  return item === undefined ? undefined : { keyAt: item.at, value: item };
}

/** The same table with one entry set, or taken out when `entry` is undefined. */
export function withEntry(table: Table, key: string, entry: Entry | undefined): Table {
  const entries = new Map(table.entries);
  if (entry === undefined) entries.delete(key);
  else entries.set(key, entry);
  return { ...table, entries };
}
