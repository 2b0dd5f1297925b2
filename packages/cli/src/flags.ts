// Flags that several commands share, and how their values are read. A value that cannot be read is a complaint of a few words; what flag
// it was for is added where the complaint is shown.
import type { JsonObject } from "@hone/core";

interface Whole {
  readonly from?: number;
  readonly to?: number;
}

export function wholeNumber({ from, to }: Whole = {}): (text: string) => number {
  return (text) => {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (Number.isSafeInteger(value) && value >= (from ?? value) && value <= (to ?? value)) return value;
    const range = [...(from === undefined ? [] : [`from ${from}`]), ...(to === undefined ? [] : [`to ${to}`])];
    throw new SyntaxError(["a whole number", ...range].join(" "));
  };
}

export function numberFromZero(text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  throw new SyntaxError("a number from 0");
}

export function numTasks(text: string): number | "all" {
  if (text === "all") return text;
  try {
    return wholeNumber({ from: 1 })(text);
  } catch {
    throw new SyntaxError("a whole number from 1, or all");
  }
}

export function text(value: string): string {
  return value;
}

function jsonObject(value: string): JsonObject {
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    parsed = undefined;
  }
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return parsed as JsonObject;
  throw new SyntaxError("a JSON object such as '{\"max_guesses\": 4}'");
}

export const json = { kind: "boolean", brief: "print the result as JSON, and errors too", withNegated: false } as const;

export const environmentArguments = {
  arg: {
    kind: "parsed",
    parse: text,
    brief: "an argument of the environment, such as max_guesses=4; the value is written as in TOML",
    placeholder: "K=V",
    optional: true,
    variadic: true,
  },
  args: {
    kind: "parsed",
    parse: jsonObject,
    brief: "arguments of the environment as one JSON object",
    placeholder: "JSON",
    optional: true,
  },
} as const;

export const environmentName = {
  brief: "a folder (./my-env), a name under environments/, or an installed package",
  parse: text,
  placeholder: "env",
} as const;
