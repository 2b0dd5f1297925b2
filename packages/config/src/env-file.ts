// KEY=VALUE files for secrets. Nothing of a line but its number ever gets into an error: a line that is wrong may well be a key
// pasted without its name. No expansion of $NAME, no values over several lines.
import { issuesError, type Issue } from "./place.ts";
import { readSource } from "./source.ts";

/** Comments, blank lines, `export`, single and double quotes. A name given twice has its last value. */
export async function readEnvFile(path: string): Promise<Readonly<Record<string, string>>> {
  const text = await readSource(path, { what: "environment file" });
  const values = new Map<string, string>();
  const issues: Issue[] = [];
  for (const [index, line] of text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .entries()) {
    const pair = parseLine(line);
    if (pair === undefined) continue;
    if (typeof pair === "string")
      issues.push({ path: "", message: pair, at: { file: path, line: index + 1, column: 1 } });
    else values.set(pair.name, pair.value);
  }
  if (issues.length > 0) throw issuesError(issues);
  return Object.fromEntries(values);
}

/** Undefined for a line without a value, a message for one that cannot be read. */
function parseLine(line: string): { readonly name: string; readonly value: string } | string | undefined {
  const text = line.trim();
  if (text === "" || text.startsWith("#")) return undefined;
  const match = /^(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*)$/.exec(text);
  if (match === null) return "expected NAME=value";
  const [, name = "", rest = ""] = match;
  const quote = rest[0];
  if (quote !== '"' && quote !== "'") return { name, value: rest.replace(/(?:^|\s+)#.*$/, "") };
  const quoted = (quote === '"' ? doubleQuoted : singleQuoted).exec(rest);
  if (quoted === null) return "the quote is not closed, or text follows it";
  const value = quoted[1] ?? "";
  return { name, value: quote === "'" ? value : unescape(value) };
}

const doubleQuoted = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/;
const singleQuoted = /^'([^']*)'\s*(?:#.*)?$/;

function unescape(text: string): string {
  const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
  return text.replaceAll(/\\(.)/g, (_whole, letter: string) => escapes[letter] ?? letter);
}
