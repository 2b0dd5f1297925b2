// The configuration of a run as flat names and values, for services that show settings beside the curves: `optimizer.learning_rate`, `env.0.id`.
// run.toml is read line by line, as `writeToml` writes it; what is more than a word, a number or a list is sent as it is written. It is for people to
// look at, and no wrong guess can hurt a run. Secrets are left out.
import { hidden, hideNamed, isSecretName } from "./secrets.ts";

export type Setting = string | number | boolean;

export function runSettings(toml: string, scrub: (text: string) => string): Readonly<Record<string, Setting>> {
  const settings: Record<string, Setting> = {};
  const counts = new Map<string, number>();
  let table = "";
  for (const line of toml.split("\n")) {
    const header = /^\s*(\[{1,2})\s*([^\]]+?)\s*\]{1,2}\s*(?:#.*)?$/.exec(line);
    if (header?.[2] !== undefined) {
      table = tableName(header[2], header[1] === "[[", counts);
      continue;
    }
    const [, key, text] = /^\s*((?:"(?:[^"\\]|\\.)*"|[\w.-])+)\s*=\s*(.+?)\s*$/.exec(line) ?? [];
    if (key === undefined || text === undefined) continue;
    const name = `${table}${plainKey(key)}`;
    const value = settingOf(text);
    settings[name] = typeof value !== "string" ? value : isSecretName(name) ? hidden : scrub(hideNamed(value));
  }
  return settings;
}

/** `[[env]]` is `env.0.`, then `env.1.`; a table inside it belongs to the last one. */
function tableName(key: string, isOneOfMany: boolean, counts: Map<string, number>): string {
  const parts = key.match(/"(?:[^"\\]|\\.)*"|[^."]+/g) ?? [];
  let path = "";
  for (const [index, part] of parts.map(plainKey).entries()) {
    path += part;
    const isCounted = isOneOfMany && index === parts.length - 1;
    if (isCounted) counts.set(path, (counts.get(path) ?? -1) + 1);
    const count = counts.get(path);
    path += count === undefined ? "." : `.${count}.`;
  }
  return path;
}

function plainKey(key: string): string {
  return key.trim().replaceAll('"', "");
}

function settingOf(line: string): Setting {
  const text = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^"'#]+?)\s*(?:#.*)?$/.exec(line)?.[1] ?? line;
  if (/^'.*'$/.test(text)) return text.slice(1, -1);
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : text;
  } catch {
    const digits = text.replaceAll("_", "");
    return Number.isFinite(Number(digits)) ? Number(digits) : text;
  }
}
