// What `tojson` means in a chat template: Python's json.dumps. The template library prints empty lists and objects differently when it
// indents and small floats always, and a tool without parameters is enough to meet that.

export interface JsonStyle {
  readonly indent?: number;
  readonly ensureAscii?: boolean;
  readonly sortKeys?: boolean;
  readonly separators?: readonly [item: string, key: string];
}

/** Values as the template library holds them: boxes with a `value`, objects as Maps. Plain values pass too. */
export function pythonJson(value: unknown, style: JsonStyle = {}, depth = 0): string {
  const plain = unbox(value);
  if (plain === null || plain === undefined) return "null";
  if (typeof plain === "number") return pythonNumber(plain);
  if (typeof plain === "string") return jsonString(plain, style);
  if (Array.isArray(plain)) {
    const items = plain.map((item) => pythonJson(item, style, depth + 1));
    return bracket("[]", items, style, depth);
  }
  if (typeof plain === "object") {
    const [, keySeparator] = separatorsOf(style);
    const entries = plain instanceof Map ? [...plain] : Object.entries(plain);
    if (style.sortKeys === true) entries.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
    const members = entries.map(
      ([key, item]) => jsonString(String(key), style) + keySeparator + pythonJson(item, style, depth + 1),
    );
    return bracket("{}", members, style, depth);
  }
  return JSON.stringify(plain) ?? "null";
}

/** The content of a box of the template library; anything else is itself. */
export function unbox(value: unknown): unknown {
  const isBox = typeof value === "object" && value !== null && "type" in value && "value" in value;
  return isBox && !(value instanceof Map) && String(value.type).endsWith("Value") ? value.value : value;
}

function bracket(pair: string, items: readonly string[], style: JsonStyle, depth: number): string {
  const [open, close] = [pair.slice(0, 1), pair.slice(1)];
  const [separator] = separatorsOf(style);
  if (items.length === 0 || style.indent === undefined) return open + items.join(separator) + close;
  const outer = `\n${" ".repeat(style.indent * depth)}`;
  const inner = `\n${" ".repeat(style.indent * (depth + 1))}`;
  return open + inner + items.join(separator + inner) + outer + close;
}

function separatorsOf({ separators, indent }: JsonStyle): readonly [string, string] {
  return separators ?? [indent === undefined ? ", " : ",", ": "];
}

function jsonString(text: string, { ensureAscii }: JsonStyle): string {
  const quoted = JSON.stringify(text);
  if (ensureAscii !== true) return quoted;
  // U+007F and the noncharacters from U+FDD0 stay: they guard look-alikes of control tokens (escape.ts).
  return quoted.replaceAll(
    /[^\0-\u007F\uFDD0-\uFDEF]/g,
    (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Python's repr of a float: an exponent below 1e-4 and from 1e16, with at least two digits. */
function pythonNumber(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return value.toFixed(0);
  const text = Math.abs(value) < 1e-4 ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, (_all, sign: string, digit: string) => `e${sign}0${digit}`);
}
