// Arguments of an environment from the command line: `--args JSON`, then `--arg key=value` over it. Values are TOML; what is not TOML is
// text, so that names need no quotes in a shell. Keys may be spelt as in files (max_guesses) or as in the schema (maxGuesses).
import { type FindPlace, parseToml, toFile } from "@hone/config";
import { HoneError, type Json, type JsonObject, type Place } from "@hone/core";
import type * as z from "zod";

export interface ArgumentFlags {
  readonly arg: readonly string[] | undefined;
  readonly args: JsonObject | undefined;
}

export function readArguments({ arg = [], args = {} }: ArgumentFlags): JsonObject {
  return arg.map(parseArgument).reduce(merge, args);
}

function parseArgument(text: string): JsonObject {
  const [, key, value] = /^\s*([^=]+?)\s*=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) {
    throw new HoneError(`\`--arg ${text}\` is not key=value.`, {
      code: "usage",
      hint: "Write it as --arg max_guesses=4.",
    });
  }
  const trimmed = value.trim();
  // An opening bracket or quote is meant as TOML and gets TOML's complaint.
  return (
    tryToml(`${key} = ${trimmed}`, key) ??
    (/^[[{"']/.test(trimmed) ? undefined : tryToml(`${key} = ${JSON.stringify(trimmed)}`, key)) ??
    parseToml(`${key} = ${trimmed}`, `--arg ${key}`).value
  );
}

/** Undefined when it is not one value: text with a line break could hold several. */
function tryToml(text: string, key: string): JsonObject | undefined {
  try {
    const { value } = parseToml(text, `--arg ${key}`);
    return Object.keys(value).length === 1 ? value : undefined;
  } catch {
    return undefined;
  }
}

function merge(a: JsonObject, b: JsonObject): JsonObject {
  const entries = Object.entries(b).map(([key, value]): [string, Json] => {
    const before = a[key];
    return [key, isTable(before) && isTable(value) ? merge(before, value) : value];
  });
  return { ...a, ...Object.fromEntries(entries) };
}

function isTable(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** As a file spells them: a key in the schema's own spelling is renamed, unless both spellings are given. */
export function inFileSpelling(schema: z.ZodObject, args: JsonObject): JsonObject {
  const renamed = Object.entries(args).map(([key, value]): [string, Json] => {
    if (!Object.hasOwn(schema.shape, key)) return [key, value];
    const [name = key] = Object.keys(toFile(schema, { [key]: null }) as object);
    if (name !== key && Object.hasOwn(args, name)) {
      throw new HoneError(`\`${key}\` and \`${name}\` are one argument, given twice.`, {
        code: "arguments",
        hint: `Keep \`${name}\`.`,
      });
    }
    return [name, value];
  });
  return Object.fromEntries(renamed);
}

/** Where an argument of the command line was written. */
export const flagPlace: FindPlace = ([key]): Place | undefined =>
  key === undefined ? undefined : { file: `--arg ${key}`, line: 1, column: 1 };
