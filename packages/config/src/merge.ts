// Composition of configuration: tables merge key by key, everything else (arrays too) is replaced by what comes later.
// The empty table changes nothing on either side, and grouping does not matter where a key is a table in all files or in none.
import type { Entry, Table, Tree } from "./tree.ts";

export function mergeTables(earlier: Table, later: Table): Table {
  const entries = new Map<string, Entry>(earlier.entries);
  for (const [key, entry] of later.entries) {
    const known = entries.get(key);
    entries.set(key, known === undefined ? entry : { ...entry, value: mergeTrees(known.value, entry.value) });
  }
  return { kind: "table", entries, at: later.at ?? earlier.at };
}

export function mergeTrees(earlier: Tree, later: Tree): Tree {
  return earlier.kind === "table" && later.kind === "table" ? mergeTables(earlier, later) : later;
}
