// An answer without its longest texts. A single message may be larger than all else a page holds: its beginning is sent, with the place where the rest
// can be asked for. Places are keys joined by "/", escaped as in a JSON pointer, so that a key of a task cannot be mistaken for two.

/** A page shows less than this at first. */
const mostCharacters = 50_000;

export interface Cut<Value> {
  readonly value: Value;
  /** Whole lengths, by place. */
  readonly cuts: Readonly<Record<string, number>>;
}

export function cutTexts<Value>(value: Value, most = mostCharacters): Cut<Value> {
  const cuts: Record<string, number> = {};
  const cut = (part: unknown, keys: readonly string[]): unknown => {
    if (typeof part === "string") {
      if (part.length <= most) return part;
      cuts[keys.map(escaped).join("/")] = part.length;
      return withoutHalf(part.slice(0, most));
    }
    if (typeof part !== "object" || part === null) return part;
    if (Array.isArray(part)) return part.map((one, index) => cut(one, [...keys, String(index)]));
    return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, cut(one, [...keys, key])]));
  };
  return { value: cut(value, []) as Value, cuts };
}

/** The text at a place; undefined when there is none. */
export function textAt(value: unknown, place: string): string | undefined {
  let at: unknown = value;
  for (const key of place.split("/").map(unescaped)) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return typeof at === "string" ? at : undefined;
}

function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
function unescaped(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** A pair of surrogates is never torn apart. */
function withoutHalf(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}
