// Applies rows to a whole document, as data: what has a counterpart is moved, what has none is taken out and listed with the reason.
// Pure. Unlike aliases it never stops at a problem: a person wants the list.
import type { Json, JsonObject } from "@hone/core";
import { type Row, type RowContext, tableOf } from "./row.ts";

export interface Dropped {
  /** As it stood in the source. */
  readonly key: string;
  readonly reason: string;
}
export interface Rewritten {
  readonly document: JsonObject;
  readonly dropped: readonly Dropped[];
}

type Branch = { [key: string]: Json };
type Path = readonly string[];

export function rewrite(source: JsonObject, rows: readonly Row[], context: RowContext): Rewritten {
  const document: Branch = structuredClone(source);
  const dropped: Dropped[] = [];
  const forEveryEnv: [key: string, value: Json][] = [];
  /** Where a moved key stood at first. */
  const origins = new Map<string, string>();
  const said = (path: Path): string => originOf(origins, path.join("."));

  const put = (path: Path, value: Json, from: Path): void => {
    const known = at(document, path);
    if (known === undefined || isEmptyTable(known)) return set(document, path, value);
    if (JSON.stringify(known) === JSON.stringify(value) || isEmptyTable(value)) return;
    if (isTable(known) && isTable(value)) {
      for (const [key, item] of Object.entries(value)) put([...path, key], item, [...from, key]);
      return;
    }
    const reason = `${path.join(".")} is set to another value already: ${JSON.stringify(known)}`;
    dropped.push({ key: said(from), reason });
  };

  for (const row of rows) {
    for (const path of matches(document, row.from.split("."))) {
      const value = take(document, path);
      if (value === undefined) continue;
      if ("reason" in row) {
        for (const leaf of leaves(value, path)) dropped.push({ key: said(leaf), reason: row.reason });
        continue;
      }
      try {
        if ("to" in row) {
          const target = targetOf(row, path);
          origins.set(target.join("."), said(path));
          put(target, row.convert === undefined ? value : row.convert(value, context), path);
          continue;
        }
        for (const [key, item] of Object.entries(row.expand(value))) {
          if (key.startsWith("env.*.")) forEveryEnv.push([key.slice("env.*.".length), item]);
          else put(key.split("."), item, path);
        }
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        dropped.push({ key: said(path), reason: error.message });
      }
    }
  }
  const environments = Array.isArray(document["env"]) ? document["env"] : [];
  for (const [index] of environments.entries()) {
    for (const [key, value] of forEveryEnv) put(["env", String(index), key], value, ["env", String(index), key]);
  }
  return { document, dropped };
}

/** The longest part of the path that was moved, under its first name. */
function originOf(origins: ReadonlyMap<string, string>, path: string): string {
  for (let end = path.length; end > 0; end = path.lastIndexOf(".", end - 1)) {
    const origin = origins.get(path.slice(0, end));
    if (origin !== undefined) return origin + path.slice(end);
  }
  return path;
}

/** Paths of the document that a row's path means; an array stands for each of its items. */
function matches(value: Json | undefined, [key, ...rest]: Path, before: Path = []): Path[] {
  if (Array.isArray(value)) {
    return value.flatMap((item: Json, index) => matches(item, [key ?? "", ...rest], [...before, String(index)]));
  }
  if (key === undefined || !isTable(value) || !Object.hasOwn(value, key)) return [];
  const path = [...before, key];
  return rest.length === 0 ? [path] : matches(value[key], rest, path);
}

/** The row's target with the item numbers of the path that was matched. */
function targetOf({ from, to }: { readonly from: string; readonly to: string }, path: Path): Path {
  const [source, target] = [from.split("."), to.split(".")];
  let shared = 0;
  while (shared < Math.min(source.length, target.length) - 1 && source[shared] === target[shared]) shared++;
  let taken = 0;
  for (let keys = 0; keys < shared || /^\d+$/.test(path[taken] ?? ""); taken++) {
    if (!/^\d+$/.test(path[taken] ?? "")) keys++;
  }
  return [...path.slice(0, taken), ...target.slice(shared)];
}

export function leaves(value: Json, path: Path): Path[] {
  if (!isTable(value) || isEmptyTable(value)) return [path];
  return Object.entries(value).flatMap(([key, item]) => leaves(item, [...path, key]));
}

export function at(value: Json | undefined, path: Path): Json | undefined {
  let current = value;
  for (const key of path) {
    current = Array.isArray(current)
      ? (current[Number(key)] as Json | undefined)
      : isTable(current)
        ? current[key]
        : undefined;
  }
  return current;
}

function set(root: Branch, path: Path, value: Json): void {
  let current: Json = root;
  for (const key of path.slice(0, -1)) {
    const here = current as Branch;
    const next: Json | undefined = here[key];
    if (!isTable(next) && !Array.isArray(next)) here[key] = {};
    current = here[key] as Json;
  }
  (current as Branch)[path.at(-1) ?? ""] = value;
}

/** Takes the value out, and the tables that this empties. */
export function take(root: JsonObject, path: Path): Json | undefined {
  const parent = at(root, path.slice(0, -1));
  const key = path.at(-1) ?? "";
  if (!isTable(parent) || !Object.hasOwn(parent, key)) return undefined;
  const value = parent[key];
  const branch: Branch = parent;
  delete branch[key];
  if (path.length > 1 && isEmptyTable(parent) && isTable(at(root, path.slice(0, -2)))) take(root, path.slice(0, -1));
  return value;
}

export function isTable(value: Json | undefined): value is JsonObject {
  return value !== undefined && value !== null && typeof value === "object" && !Array.isArray(value);
}

function isEmptyTable(value: Json): boolean {
  return isTable(value) && Object.keys(tableOf(value)).length === 0;
}
