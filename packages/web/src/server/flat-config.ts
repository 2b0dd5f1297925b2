// Plain values out of a run.toml, for lists of runs and for grouping them. Runs write their resolved configuration in the simple part of TOML: tables,
// lists of tables, and one key a line. What is written otherwise is passed over; the page shows the whole text anyway.

/** By dotted path: "model", "optimizer.learning_rate", "env.0.id". Strings without their quotes, everything else as written. */
export function flatConfig(toml: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const lists = new Map<string, number>();
  let table = "";
  for (const line of toml.split("\n")) {
    const list = /^\s*\[\[([^\]]+)\]\]\s*(?:#.*)?$/.exec(line)?.[1]?.trim();
    if (list !== undefined) {
      const index = (lists.get(list) ?? -1) + 1;
      lists.set(list, index);
      table = `${list}.${index}.`;
      continue;
    }
    const name = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/.exec(line)?.[1]?.trim();
    if (name !== undefined) {
      table = `${insideList(name, lists)}.`;
      continue;
    }
    const [, key, text] = /^\s*("[^"]*"|[\w.-]+)\s*=\s*(.+?)\s*$/.exec(line) ?? [];
    if (key === undefined || text === undefined) continue;
    const value = plainValue(text);
    if (value !== undefined) values.set(table + key.replaceAll('"', ""), value);
  }
  return values;
}

/** [env.args] after [[env]] belongs to the last of them. */
function insideList(name: string, lists: ReadonlyMap<string, number>): string {
  const [first = "", ...rest] = name.split(".");
  const index = lists.get(first);
  return index === undefined ? name : [first, index, ...rest].join(".");
}

function plainValue(text: string): string | undefined {
  const quoted = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/.exec(text) ?? /^'([^']*)'\s*(?:#.*)?$/.exec(text);
  if (quoted !== null) return quoted[1];
  const bare = /^([^#"']+?)\s*(?:#.*)?$/.exec(text)?.[1];
  if (bare !== undefined && /^[+-]?\d[\d_.]*(?:e[+-]?\d+)?$/i.test(bare)) return bare.replaceAll("_", "");
  if (bare === "true" || bare === "false") return bare;
  return /^\[.*\]$/.test(text) ? text : undefined;
}
