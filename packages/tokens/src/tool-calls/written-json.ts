// JSON as models write it: where a value ends, and one call out of an object, with the arguments kept letter by letter.
// Tolerant: a broken object still gives its name, and as arguments whatever follows their key.
import type { WrittenCall } from "./format.ts";

/** The position after the object, array or string that starts at `at`; undefined when it never ends. */
function endOfValue(text: string, at: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let index = at; index < text.length; index++) {
    const character = text[index];
    if (inString) {
      if (character === "\\") index++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    if (depth <= 0 && !inString) return index + 1;
  }
  return undefined;
}

/**
 * `endOfValue` with a limit to the letters read in one text: a reply of thousands of brackets, which policies do write, costs no more
 * than some readings of it. When the limit is used up every value counts as one that never ends.
 */
export function createValueReader(text: string): (at: number) => number | undefined {
  let left = 50 * text.length;
  return (at) => {
    if (left <= 0) return undefined;
    const end = endOfValue(text, at);
    left -= (end ?? text.length) - at;
    return end;
  };
}

const argumentKeys = ["arguments", "parameters"] as const;

/** A well-formed object with a name; with `needsArguments` it must have arguments too, so that ordinary JSON is no call. */
export function readCall(source: string, needsArguments = false): WrittenCall | undefined {
  const value = parseJson(source);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { name } = value as { readonly name?: unknown };
  if (typeof name !== "string" || name === "") return undefined;
  const key = argumentKeys.find((candidate) => candidate in value);
  if (key === undefined) return needsArguments ? undefined : { name, arguments: "{}" };
  const written = memberOf(source, key) ?? JSON.stringify((value as Record<string, unknown>)[key]);
  const inner: unknown = written.startsWith('"') ? parseJson(written) : undefined;
  // Arguments that are JSON inside a string mean the object in it.
  return { name, arguments: typeof inner === "string" && typeof parseJson(inner) === "object" ? inner : written };
}

/** A call from an object that is not JSON: its name, and the text after the key of its arguments. */
export function salvageCall(source: string, needsArguments = false): WrittenCall | undefined {
  const name = /"name"\s*:\s*"((?:[^"\\]|\\.)+)"/.exec(source)?.[1];
  if (name === undefined) return undefined;
  const key = /"(?:arguments|parameters)"\s*:\s*/.exec(source);
  if (key === null) return needsArguments ? undefined : { name, arguments: "{}" };
  const from = key.index + key[0].length;
  const end = /["{[]/.test(source[from] ?? "") ? endOfValue(source, from) : undefined;
  return { name, arguments: source.slice(from, end).trim() };
}

/** The source of a top-level member of a well-formed object; of the last one where the key comes twice, as JSON.parse takes it. */
function memberOf(source: string, key: string): string | undefined {
  let found: string | undefined;
  let index = source.indexOf("{") + 1;
  while (index > 0 && index < source.length) {
    const keyStart = source.indexOf('"', index);
    const keyEnd = keyStart < 0 ? undefined : endOfValue(source, keyStart);
    if (keyEnd === undefined) break;
    const valueStart = skipSpace(source, source.indexOf(":", keyEnd) + 1);
    const isNested = /["{[]/.test(source[valueStart] ?? "");
    const valueEnd = isNested ? endOfValue(source, valueStart) : scalarEnd(source, valueStart);
    if (valueEnd === undefined) break;
    if (parseJson(source.slice(keyStart, keyEnd)) === key) found = source.slice(valueStart, valueEnd);
    const next = skipSpace(source, valueEnd);
    if (source[next] !== ",") break;
    index = next + 1;
  }
  return found;
}

function scalarEnd(text: string, at: number): number {
  const length = text.slice(at).search(/[,}\s]/);
  return length < 0 ? text.length : at + length;
}

export function skipSpace(text: string, at: number): number {
  let index = at;
  while (index < text.length && /\s/.test(text[index] ?? "")) index++;
  return index;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
