// Runs a Jinja program the way Hugging Face runs chat templates: the same globals, `tojson` as Python's json.dumps, a clock that is given.
// The library has no user-defined filters, so `x | tojson(...)` is turned into a call of a global function once, after parsing.
import { HoneError, type JsonObject } from "@hone/core";
import { Environment, Interpreter, Template } from "@huggingface/jinja";
import { type JsonStyle, pythonJson, unbox } from "./python-json.ts";

/** What the program prints for these variables. `now` is what `strftime_now` tells. */
export type JinjaProgram = (variables: JsonObject, now: Date) => string;

export function compileJinja(source: string): JinjaProgram {
  const program = parse(source);
  return (variables, now) => {
    const environment = new Environment();
    for (const [name, value] of Object.entries({ ...globals(now), ...variables })) environment.set(name, value);
    try {
      return String(new Interpreter(environment).run(program).value);
    } catch (error) {
      throw new HoneError(`the chat template refused: ${messageOf(error)}`, {
        code: "chat-template",
        hint: "Check the order of roles and the tool calls, or give another template.",
        cause: error,
      });
    }
  };
}

function parse(source: string): Template["parsed"] {
  try {
    const { parsed } = new Template(source);
    callToJson(parsed);
    return parsed;
  } catch (error) {
    throw new HoneError(`the chat template cannot be read: ${messageOf(error)}`, {
      code: "chat-template",
      hint: "It must be a Jinja template as in tokenizer_config.json or chat_template.jinja.",
      cause: error,
    });
  }
}

/** Nodes are changed in place: the interpreter goes by their `type`. */
function callToJson(node: unknown): void {
  if (Array.isArray(node)) node.forEach(callToJson);
  else if (node instanceof Map) for (const entry of node) entry.forEach(callToJson);
  else if (isNode(node)) {
    for (const child of Object.values(node)) callToJson(child);
    const filter = node["type"] === "FilterExpression" && isNode(node["filter"]) ? node["filter"] : undefined;
    const isCall = filter?.["type"] === "CallExpression";
    const name = isCall ? filter["callee"] : filter;
    if (!isNode(name) || name["value"] !== "tojson") return;
    const parameters = isCall && Array.isArray(filter["args"]) ? (filter["args"] as readonly unknown[]) : [];
    Object.assign(node, { type: "CallExpression", callee: name, args: [node["operand"], ...parameters] });
  }
}

function isNode(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function globals(now: Date): Record<string, unknown> {
  return {
    true: true,
    True: true,
    false: false,
    False: false,
    none: null,
    None: null,
    range,
    strftime_now: (format: string) => strftime(now, format),
    raise_exception: (message: string) => {
      throw new Error(message);
    },
    tojson: (value: unknown, ...options: readonly unknown[]) => pythonJson(value, jsonStyle(options)),
  };
}

/** Keyword arguments come last, as a Map of boxes. */
function jsonStyle(options: readonly unknown[]): JsonStyle {
  const keywords = options.at(-1);
  const get = (name: string): unknown => (keywords instanceof Map ? unbox(keywords.get(name)) : undefined);
  const positional = typeof options[0] === "number" ? options[0] : undefined;
  const indent = get("indent") ?? positional;
  const separators = get("separators");
  return {
    ensureAscii: get("ensure_ascii") === true,
    sortKeys: get("sort_keys") === true,
    ...(typeof indent === "number" ? { indent } : {}),
    ...(Array.isArray(separators)
      ? { separators: [String(unbox(separators[0])), String(unbox(separators[1]))] as const }
      : {}),
  };
}

function range(first: number, stop?: number, step = 1): number[] {
  const [from, to] = stop === undefined ? [0, first] : [first, stop];
  const length = step === 0 ? 0 : Math.max(0, Math.ceil((to - from) / step));
  return Array.from({ length }, (_, index) => from + index * step);
}

const months = "January February March April May June July August September October November December".split(" ");
const days = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

/** The directives that chat templates use, in UTC and in English. */
function strftime(date: Date, format: string): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const month = months[date.getUTCMonth()] ?? "";
  const day = days[date.getUTCDay()] ?? "";
  const directives: Readonly<Record<string, string>> = {
    "%Y": String(date.getUTCFullYear()),
    "%y": two(date.getUTCFullYear() % 100),
    "%m": two(date.getUTCMonth() + 1),
    "%d": two(date.getUTCDate()),
    "%B": month,
    "%b": month.slice(0, 3),
    "%A": day,
    "%a": day.slice(0, 3),
    "%H": two(date.getUTCHours()),
    "%M": two(date.getUTCMinutes()),
    "%S": two(date.getUTCSeconds()),
    "%%": "%",
  };
  return format.replaceAll(/%./g, (directive) => directives[directive] ?? directive);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
