// Reading JSON that a stranger sent. Nothing here throws: what has the wrong shape reads as absent, and the dialect decides whether it needs it.

export type WireObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is WireObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at a path of keys; a number indexes an array. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value;
  for (const key of path) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Record<string | number, unknown>)[key];
  }
  return here;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Empty text counts as absent. */
export function textOrNone(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A whole number of at least 0. */
export function countOrNone(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

export function numberOrNone(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** `{ [key]: value }`, or nothing when the value is undefined: how optional fields are written under exactOptionalPropertyTypes. */
export function optional<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]?: Value });
}

/** JSON or undefined. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
