// Files are snake_case, code is camelCase. The schema decides where keys are mapped: only where it has an object with named fields,
// never inside records. Invariant: per table the mapping swaps a field with its file name, so it undoes itself, and a camelCase
// key written in a file becomes a key the schema does not know.
import type * as z from "zod";

export type Schema = z.core.$ZodType;
type Kind = z.core.$ZodTypes;
/** Which spelling a value is in. */
type Side = "code" | "file";
type Path = readonly (string | number)[];

/** `maxTokens` to `max_tokens`, `baseURL` to `base_url`. */
export function snakeCase(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
    .toLowerCase();
}

/** A value as a file spells it, as the schema spells it. Nothing is validated. */
export function toCode(schema: Schema, value: unknown): unknown {
  return convert([schema], value, "file");
}

/** A value as the schema takes it (its input), as a file spells it. `toCode(schema, toFile(schema, x))` equals x. */
export function toFile(schema: Schema, value: unknown): unknown {
  return convert([schema], value, "code");
}

/** Names of fields with their file names, both ways. A field whose file name is taken by another keeps its own. */
export function fileNames(fields: Iterable<string>): ReadonlyMap<string, string> {
  const all = new Set(fields);
  const names = new Map<string, string>();
  for (const field of all) {
    const name = snakeCase(field);
    if (name === field || all.has(name) || names.has(name)) continue;
    names.set(field, name);
    names.set(name, field);
  }
  return names;
}

/** A position in a value seen through its schema. */
interface Position {
  /** The path in the other spelling. */
  readonly path: Path;
  /** File names of the keys the schema names here. */
  readonly knownKeys: readonly string[];
  readonly isList: boolean;
}

export function positionAt({ schema, value, path, side }: PositionOf): Position {
  let schemas: readonly Schema[] = [schema];
  let current = value;
  const other: (string | number)[] = [];
  for (const segment of path) {
    const kinds = kindsOf(schemas, current, side);
    const isField = typeof segment === "string" && !Array.isArray(current);
    const mapped = isField ? (fileNames(fieldsOf(kinds)).get(segment) ?? segment) : segment;
    other.push(mapped);
    schemas = childrenOf(kinds, side === "file" ? mapped : segment);
    current = memberOf(current, segment);
  }
  const kinds = kindsOf(schemas, current, side);
  const fields = fieldsOf(kinds);
  const names = fileNames(fields);
  return {
    path: other,
    knownKeys: [...fields.map((field) => names.get(field) ?? field), ...kinds.flatMap(recordKeysOf)],
    isList: kinds.some((kind) => ["array", "tuple"].includes(kind._zod.def.type)),
  };
}

interface PositionOf {
  readonly schema: Schema;
  /** The whole value, in the spelling of `side`. */
  readonly value: unknown;
  readonly path: Path;
  readonly side: Side;
}

function convert(schemas: readonly Schema[], value: unknown, side: Side): unknown {
  if (schemas.length === 0 || !isContainer(value)) return value;
  const kinds = kindsOf(schemas, value, side);
  if (Array.isArray(value)) return value.map((item, index) => convert(childrenOf(kinds, index), item, side));
  const names = fileNames(fieldsOf(kinds));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const mapped = names.get(key) ?? key;
      return [mapped, convert(childrenOf(kinds, side === "file" ? mapped : key), item, side)];
    }),
  );
}

/** Plain data only: a Date or a typed array passes through untouched. */
function isContainer(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** What a position may hold: wrappers taken off, unions and intersections spread out. */
function kindsOf(schemas: readonly Schema[], value: unknown, side: Side): Kind[] {
  const seen = new Set<Schema>();
  const spread = (schema: Schema): Kind[] => {
    if (seen.has(schema)) return [];
    seen.add(schema);
    const kind = schema as Kind;
    const { def } = kind._zod;
    if ("innerType" in def) return spread(def.innerType);
    if (def.type === "lazy") return spread(def.getter());
    if (def.type === "intersection") return [...spread(def.left), ...spread(def.right)];
    if (def.type === "union") return matching(def, value, side).flatMap(spread);
    // Configuration is what goes in; a transform says nothing about its input, so `z.preprocess` is read by its output.
    if (def.type === "pipe") return spread((def.in as Kind)._zod.def.type === "transform" ? def.out : def.in);
    return [kind];
  };
  return schemas.flatMap(spread);
}

/** The options that the discriminator leaves; all of them where there is none or it matches nothing. */
function matching(def: z.core.$ZodUnionDef, value: unknown, side: Side): readonly Schema[] {
  const discriminator = "discriminator" in def ? def.discriminator : undefined;
  if (typeof discriminator !== "string") return def.options;
  const said = memberOf(value, side === "file" ? snakeCase(discriminator) : discriminator);
  const chosen = def.options.filter((option) => option._zod.propValues?.[discriminator]?.has(said as never));
  return chosen.length > 0 ? chosen : def.options;
}

function fieldsOf(kinds: readonly Kind[]): string[] {
  const fields = kinds.flatMap(({ _zod: { def } }) => (def.type === "object" ? Object.keys(def.shape) : []));
  return [...new Set(fields)];
}

function childrenOf(kinds: readonly Kind[], key: string | number): Schema[] {
  return kinds
    .flatMap(({ _zod: { def } }): readonly (Schema | null | undefined)[] => {
      if (def.type === "object") return [Object.hasOwn(def.shape, key) ? def.shape[key] : def.catchall];
      if (def.type === "record") return [def.valueType];
      if (def.type === "array") return [def.element];
      if (def.type === "tuple") return [def.items[Number(key)] ?? def.rest];
      return [];
    })
    .filter((schema) => schema !== undefined && schema !== null);
}

function recordKeysOf({ _zod: { def } }: Kind): string[] {
  const values = def.type === "record" ? def.keyType._zod.values : undefined;
  return values === undefined ? [] : [...values].map(String);
}

function memberOf(value: unknown, key: string | number): unknown {
  return isContainer(value) && Object.hasOwn(value, key) ? (value as Record<string | number, unknown>)[key] : undefined;
}
