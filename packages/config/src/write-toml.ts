// Values to TOML text. What TOML cannot say is refused with its path instead of being dropped: reading the text gives the value back.
import { HoneError } from "@hone/core";
import { stringify } from "smol-toml";
import { type Schema, toFile } from "./keys.ts";
import { formatPath } from "./place.ts";

/** snake_case where the schema, if given, has named fields. Members that are undefined are left out; null is refused. */
export function writeToml(value: object, schema?: Schema): string {
  if (Array.isArray(value)) throw refused(value, []);
  const text = stringify(plain(schema === undefined ? value : toFile(schema, value), []));
  return text === "\n" ? "" : text;
}

function plain(value: unknown, path: readonly (string | number)[]): unknown {
  if (typeof value === "string" || typeof value === "boolean") return value;
  // The sign of a zero is lost: TOML's integers have none.
  if (typeof value === "number") return Object.is(value, -0) ? 0 : value;
  if (Array.isArray(value)) return value.map((item, index) => plain(item, [...path, index]));
  if (isTable(value)) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    return Object.fromEntries(entries.map(([key, item]) => [key, plain(item, [...path, key])]));
  }
  throw refused(value, path);
}

function refused(value: unknown, path: readonly (string | number)[]): HoneError {
  const kind = value === null ? "null" : typeof value === "object" ? value.constructor.name : typeof value;
  return new HoneError(`${formatPath(path) || "The value"} cannot be written as TOML: it is ${kind}.`, {
    code: "config",
    hint: "Use text, numbers, true or false, arrays and plain objects; leave a key out instead of setting it to null.",
  });
}

function isTable(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
