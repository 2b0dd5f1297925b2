// zod's issues in words for a person at a TOML file: what was expected, what was found, the choices, the nearest one.
// Used as zod's error map, so a message that a schema gives itself always wins.
import type * as z from "zod";
import { didYouMean } from "./nearest.ts";

type RawIssue = z.core.$ZodRawIssue;
type ZodIssue = z.core.$ZodIssue;

/** Stands for a union that is better explained by the issues of one of its options: see `bestOption`. */
const explainedByOption = "(explained by one option)";

export function explain(issue: RawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return expectedFound(typeWords(isInteger(issue) ? "int" : issue.expected), issue.input);
    case "invalid_value":
      return expectedFound(choiceWords(issue.values), issue.input) + suggestion(issue.input, issue.values);
    case "invalid_union":
      return explainUnion(issue);
    case "too_small":
      return limitWords(issue, "small", issue.minimum, issue.inclusive === false ? "more than" : "at least");
    case "too_big":
      return limitWords(issue, "large", issue.maximum, issue.inclusive === false ? "less than" : "at most");
    case "not_multiple_of":
      return expectedFound(`a multiple of ${issue.divisor}`, issue.input);
    case "invalid_format":
      return expectedFound(formatWords(issue), issue.input);
    case "invalid_key":
      return `the key is not allowed: ${issue.issues[0]?.message ?? "not valid"}`;
    case "unrecognized_keys":
    case "invalid_element":
    case "custom":
      return "not valid";
  }
}

/** The option a person most likely meant: one that got past its own type, with the fewest complaints. */
export function bestOption(issue: ZodIssue): readonly ZodIssue[] | undefined {
  if (issue.code !== "invalid_union" || issue.message !== explainedByOption) return undefined;
  return closestOption(issue.errors);
}

function closestOption(options: readonly (readonly ZodIssue[])[]): readonly ZodIssue[] | undefined {
  const close = options.filter((issues) => issues.length > 0 && !issues.some(isAboutWhole));
  return close.reduce<readonly ZodIssue[] | undefined>(
    (best, issues) => (best === undefined || issues.length < best.length ? issues : best),
    undefined,
  );
}

function isAboutWhole({ code, path }: ZodIssue): boolean {
  return path.length === 0 && (code === "invalid_type" || code === "invalid_value");
}

function explainUnion(issue: RawIssue & { readonly code?: "invalid_union" }): string {
  const { discriminator, input } = issue;
  const options = "options" in issue ? (issue["options"] as readonly unknown[]) : undefined;
  if (discriminator !== undefined && options !== undefined) {
    const said = (input as Readonly<Record<string, unknown>>)[discriminator];
    return expectedFound(choiceWords(options), said) + suggestion(said, options);
  }
  const errors = issue.errors as readonly (readonly ZodIssue[])[];
  if (errors.length === 0) return "fits more than one of the forms allowed here";
  if (closestOption(errors) !== undefined) return explainedByOption;
  const whole = errors.flat().filter(isAboutWhole);
  const choices = whole.flatMap((nested) => (nested.code === "invalid_value" ? nested.values : []));
  const types = whole.flatMap((nested) => (nested.code === "invalid_type" ? [typeWords(nested.expected)] : []));
  const words = [...choices.map(choiceWord), ...new Set(types.filter((type) => type !== typeWords("null")))];
  return expectedFound(orList(words), input) + suggestion(input, choices);
}

function expectedFound(expected: string, input: unknown): string {
  return input === undefined ? `missing, expected ${expected}` : `expected ${expected}, found ${foundWords(input)}`;
}

/** A value in a few words; long text is cut. */
export function foundWords(value: unknown): string {
  if (typeof value === "string") {
    return `the string ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value)}`;
  }
  if (typeof value === "number" || typeof value === "bigint") return `the number ${value}`;
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null ? "a table" : String(value);
}

function typeWords(expected: string): string {
  return typeNames[expected] ?? `a ${expected}`;
}

const typeNames: Readonly<Record<string, string>> = {
  int: "an integer",
  boolean: "true or false",
  object: "a table",
  record: "a table",
  map: "a table",
  array: "an array",
  tuple: "an array",
  set: "an array",
  null: "null",
  undefined: "nothing",
  never: "nothing",
};

/** zod says "number" where `z.int()` meets a string; the schema that complains knows better. */
function isInteger(issue: RawIssue): boolean {
  const def = issue.inst?._zod.def;
  return def !== undefined && "format" in def && typeof def.format === "string" && /int/.test(def.format);
}

function limitWords(issue: RawIssue, size: "small" | "large", limit: unknown, relation: string): string {
  const origin = "origin" in issue ? issue.origin : "number";
  const exactly = "exact" in issue && issue.exact === true ? "exactly" : relation;
  const one = Number(limit) === 1;
  if (origin === "string") {
    return `too ${size === "small" ? "short" : "long"}, expected ${exactly} ${String(limit)} ${one ? "character" : "characters"}`;
  }
  if (origin === "array" || origin === "set") {
    return `too ${size === "small" ? "few" : "many"}, expected ${exactly} ${String(limit)} ${one ? "entry" : "entries"}`;
  }
  return `too ${size}, expected ${exactly} ${String(limit)}`;
}

function formatWords(issue: RawIssue & { readonly code?: "invalid_format" }): string {
  if (issue.format === "regex") return `text that matches ${issue.pattern ?? "a pattern"}`;
  return `text in the form ${issue.format}`;
}

function choiceWords(values: readonly unknown[]): string {
  return values.length === 1 ? choiceWord(values[0]) : `one of ${values.map(choiceWord).join(", ")}`;
}

function choiceWord(value: unknown): string {
  return typeof value === "string" ? `\`${value}\`` : String(value);
}

function suggestion(input: unknown, values: readonly unknown[]): string {
  const found =
    typeof input === "string"
      ? didYouMean(
          input,
          values.filter((value) => typeof value === "string"),
        )
      : "";
  return found === "" ? "" : `.${found}`;
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
