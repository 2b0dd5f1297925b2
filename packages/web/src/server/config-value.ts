// Two plain values out of a run.toml, for a list of runs. The page shows the whole text; nothing here depends on the rest of the grammar.

/** A top-level string or number, before the first table. */
export function configValue(toml: string, key: string): string | undefined {
  for (const line of toml.split("\n")) {
    if (line.startsWith("[")) return undefined;
    const found = /^([A-Za-z_]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([\d_.]+))\s*(?:#.*)?$/.exec(line);
    if (found?.[1] === key) return found[2] ?? found[3]?.replaceAll("_", "");
  }
  return undefined;
}
