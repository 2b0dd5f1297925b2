// Parser for replies in tagged fields: <think>...</think> <answer>...</answer>. Tags are searched as plain text, so time is linear and a name needs no escaping.
// Field names are literal types: `parse(text).answer` is known to the compiler, `.anwser` is an error.
import { type AssistantMessage, HoneError, type Message } from "@hone/core";
import { type AnswerParser, type FormatReward, formatRewardOf, withReasoning } from "./parser.ts";

/** A tag, or alternatives of which the first is the canonical one. */
export type XmlField = string | readonly [string, ...string[]];
type NameIn<Field> = Field extends readonly (infer Name extends string)[] ? Name : Field extends string ? Field : never;
export type XmlName<Fields extends readonly XmlField[]> = NameIn<Fields[number]>;
export type XmlParsed<Fields extends readonly XmlField[]> = {
  readonly [Name in XmlName<Fields>]: string | undefined;
};
/** A value for every field; where there are alternatives, under any of their names. */
export type XmlValues<Fields extends readonly XmlField[]> = {
  readonly [Name in Extract<Fields[number], string>]: string;
} & {
  readonly [Name in XmlName<Fields>]?: string;
};

export interface XmlParserOptions<Name extends string> {
  /** The field that holds the answer; unless told, `answer`, or the only field there is. */
  readonly answerField?: Name;
}

export class XMLParser<const Fields extends readonly XmlField[]> implements AnswerParser<XmlParsed<Fields>> {
  readonly #fields: readonly (readonly [string, ...string[]])[];
  readonly #answerField: string | undefined;

  constructor(fields: Fields, { answerField }: XmlParserOptions<XmlName<Fields>> = {}) {
    this.#fields = fields.map((field) => (typeof field === "string" ? [field] : field));
    const names = this.#fields.flat();
    this.#answerField =
      answerField ??
      (names.includes("answer") || names.length > 1 ? names.find((name) => name === "answer") : names[0]);
    checkFields(this.#fields);
  }

  /** The first occurrence of each field, trimmed; undefined where it is missing, "" where it is empty. */
  parse(text: string): XmlParsed<Fields> {
    const entries = this.#fields.flat().map((name) => [name, firstField(text, name)] as const);
    return Object.fromEntries(entries) as XmlParsed<Fields>;
  }

  /** The last answer in a text; in a conversation the first answer of the last reply that has one. */
  answer(completion: string | readonly Message[]): string | undefined {
    if (this.#answerField === undefined) {
      throw new HoneError(`None of the fields ${this.#fields.flat().join(", ")} is said to hold the answer.`, {
        code: "xml-format",
        hint: "Name it: new XMLParser(fields, { answerField }).",
      });
    }
    if (typeof completion === "string") return lastField(completion, this.#answerField);
    for (const message of completion.toReversed()) {
      if (message.role !== "assistant") continue;
      const found = firstField(this.#textOf(message), this.#answerField);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Fields one below the other under their canonical names: what a reply should look like. */
  format(values: XmlValues<Fields>): string {
    const given = values as Readonly<Record<string, string | undefined>>;
    const parts = this.#fields.map((names) => {
      const [canonical] = names;
      const value = names.map((name) => given[name]).find((item) => item !== undefined);
      if (value !== undefined) return `<${canonical}>\n${value}\n</${canonical}>`;
      throw new HoneError(`No value for the field ${canonical}.`, {
        code: "xml-format",
        hint: `Give one of: ${names.join(", ")}.`,
      });
    });
    return parts.join("\n");
  }

  /**
   * 0.4 x the share of fields present (once one of them is complete) + 0.2 for starting with the first field + 0.2 for ending with the last
   * + 0.2 always. The last part was meant for spacing and never fails in verifiers; it stays so that scores compare: plain text earns 0.2.
   */
  formatScore(text: string): number {
    const parsed: Readonly<Record<string, string | undefined>> = this.parse(text);
    const isComplete = (name: string): boolean => parsed[name] !== undefined;
    const isMentioned = (name: string): boolean => text.includes(`<${name}>`) || text.includes(`</${name}>`);
    const trimmed = text.trim();
    let score = 0;
    if (this.#fields.some((names) => names.some(isComplete))) {
      const present = this.#fields.filter((names) => names.some((name) => isComplete(name) || isMentioned(name)));
      score += 0.4 * (present.length / this.#fields.length);
    }
    score += 0.2;
    if (this.#fields[0]?.some((name) => trimmed.startsWith(`<${name}>`))) score += 0.2;
    if (this.#fields.at(-1)?.some((name) => trimmed.endsWith(`</${name}>`))) score += 0.2;
    return score;
  }

  formatReward(): FormatReward {
    return formatRewardOf((message) => this.formatScore(this.#textOf(message)));
  }

  /** A parser with a `think` field reads the reasoning too, wherever the client put it. */
  #textOf(message: AssistantMessage): string {
    return this.#fields.flat().includes("think") ? withReasoning(message) : message.content;
  }
}

function firstField(text: string, name: string): string | undefined {
  const start = text.indexOf(`<${name}>`);
  if (start === -1) return undefined;
  const from = start + name.length + 2;
  const end = text.indexOf(`</${name}>`, from);
  return end === -1 ? undefined : text.slice(from, end).trim();
}

function lastField(text: string, name: string): string | undefined {
  const open = `<${name}>`;
  const close = `</${name}>`;
  let found: string | undefined;
  for (let start = text.indexOf(open); start !== -1;) {
    const end = text.indexOf(close, start + open.length);
    if (end === -1) break;
    found = text.slice(start + open.length, end);
    start = text.indexOf(open, end + close.length);
  }
  return found?.trim();
}

function checkFields(fields: readonly (readonly string[])[]): void {
  const seen = new Set<string>();
  if (fields.length === 0) throw wrongFields("An XMLParser needs at least one field.");
  for (const names of fields) {
    if (!Array.isArray(names)) throw wrongFields("A field is a name or a list of names.");
    const [canonical] = names as readonly string[];
    if (canonical === undefined) throw wrongFields("A list of alternatives is empty.");
    if (names.some((name) => typeof name !== "string" || name === "")) throw wrongFields("A field has no name.");
    if (seen.has(canonical)) throw wrongFields(`The field ${canonical} is named twice.`);
    seen.add(canonical);
  }
}

function wrongFields(message: string): HoneError {
  return new HoneError(message, { code: "xml-fields", hint: 'For example: new XMLParser(["think", "answer"]).' });
}
