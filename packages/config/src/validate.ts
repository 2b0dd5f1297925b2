// A value as a file spells it, checked by a schema: key mapping, zod, and every issue with its path in the file's spelling and its place.
// The whole configuration goes through here, and so do environment arguments against the environment's own schema.
import type { Place } from "@hone/core";
import type * as z from "zod";
import { bestOption, explain, foundWords } from "./explain.ts";
import { positionAt, toCode } from "./keys.ts";
import { didYouMean } from "./nearest.ts";
import { type FindPlace, formatPath, inOrder, type Issue, issuesError } from "./place.ts";
import { isSecretName } from "./secret.ts";

type Path = readonly (string | number)[];

export interface ValidateOptions<Schema extends z.ZodType> {
  readonly schema: Schema;
  /** snake_case where the schema has named fields. */
  readonly value: unknown;
  /** Where the value sits in its file: `["env", 0, "args"]`. */
  readonly path?: Path;
  /** `Config.place`, where there is one. Paths are in the file's spelling. */
  readonly place?: FindPlace;
}

/** The validated value, or one error that draws every issue. */
export async function validate<Schema extends z.ZodType>(options: ValidateOptions<Schema>): Promise<z.output<Schema>> {
  const checked = await check(options);
  if ("issues" in checked) throw issuesError(inOrder(checked.issues, []));
  return checked.value;
}

interface CheckOptions<Schema extends z.ZodType> extends ValidateOptions<Schema> {
  /** Something of the file could not be read: do not complain about what may have been there. */
  readonly isPartial?: boolean;
}
type Checked<T> = { readonly value: T } | { readonly issues: readonly Issue[] };

export async function check<Schema extends z.ZodType>({
  schema,
  value,
  path = [],
  place = () => undefined,
  isPartial = false,
}: CheckOptions<Schema>): Promise<Checked<z.output<Schema>>> {
  const code = toCode(schema, value);
  const result = await schema.safeParseAsync(code, { error: explain });
  if (result.success) return { value: result.data };
  const found = result.error.issues.flatMap((issue) => flatten(issue, []));
  const kept = isPartial
    ? found.filter((fault) => fault.key !== undefined || isScalar(memberAt(code, fault.path)))
    : found;
  return { issues: kept.map((fault) => toIssue({ schema, code, fault, path, place })) };
}

/** One complaint. `key` is set for an unknown key of the table at `path`. */
interface Fault {
  readonly path: Path;
  readonly message: string;
  readonly key?: string;
}

function flatten(issue: z.core.$ZodIssue, base: Path): Fault[] {
  const path = [...base, ...issue.path.map((key) => (typeof key === "symbol" ? String(key) : key))];
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => ({ path, key, message: "" }));
  const option = bestOption(issue);
  if (option !== undefined) return option.flatMap((nested) => flatten(nested, path));
  return [{ path, message: issue.message }];
}

interface FaultIn {
  readonly schema: z.ZodType;
  /** In the schema's spelling, as the fault's path. */
  readonly code: unknown;
  readonly fault: Fault;
  readonly path: Path;
  readonly place: FindPlace;
}

function toIssue({ schema, code, fault, path, place }: FaultIn): Issue {
  const at = (of: Path): ReturnType<typeof positionAt> => positionAt({ schema, value: code, path: of, side: "code" });
  if (fault.key !== undefined) {
    const full = [...path, ...at([...fault.path, fault.key]).path];
    const table = full.slice(0, -1);
    const { knownKeys } = at(fault.path);
    const topLevel = fault.path.length > 0 && path.length === 0 ? at([]).knownKeys : [];
    const message = unknownKey(String(full.at(-1)), knownKeys, topLevel);
    return { path: formatPath(table), message, at: place(full, "key") ?? nearestPlace(place, table) };
  }
  const full = [...path, ...at(fault.path).path];
  const isSecret = isSecretName(String(full.at(-1)));
  const message = isSecret
    ? fault.message.replaceAll(foundWords(memberAt(code, fault.path)), "text that is not shown")
    : fault.message;
  return { path: formatPath(full), message, at: nearestPlace(place, full) };
}

function unknownKey(key: string, known: readonly string[], topLevel: readonly string[]): string {
  const said = `Unknown key \`${key}\`.`;
  // The usual slip in TOML: a key of the whole file written below a [table].
  if (topLevel.includes(key)) return `${said} \`${key}\` belongs at the top of the file, above the first table.`;
  const meant = didYouMean(key, known);
  if (meant !== "" || known.length === 0 || known.length > 12) return said + meant;
  return `${said} Known here: ${known.map((name) => `\`${name}\``).join(", ")}.`;
}

/** What is missing has no place of its own: the table that should hold it does. */
function nearestPlace(place: FindPlace, path: Path): Place | undefined {
  for (let length = path.length; length >= 0; length--) {
    const found = place(path.slice(0, length));
    if (found !== undefined) return found;
  }
  return undefined;
}

function memberAt(value: unknown, path: Path): unknown {
  let current = value;
  for (const key of path) current = (current as Readonly<Record<string | number, unknown>> | undefined)?.[key];
  return current;
}

function isScalar(value: unknown): boolean {
  return value !== undefined && (typeof value !== "object" || value === null);
}
