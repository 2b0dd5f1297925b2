// The JSON header of a safetensors file, read by its own grammar and no wider: names once, whole numbers, nothing unknown.
// JSON.parse would take the last of two equal names, and a hostile header of empty lists would become gigabytes of objects.
import { mostDimensions } from "./dtype.ts";
import { quote } from "./weights-error.ts";

/** As the header has it: the grammar holds, the meaning is checked in layout.ts. */
export interface HeaderTensor {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly offsets: readonly number[];
}
export interface Header {
  readonly metadata: Readonly<Record<string, string>>;
  readonly tensors: readonly HeaderTensor[];
}

/** Receives what is wrong and throws. */
export type Fail = (problem: string) => never;

export const metadataName = "__metadata__";

export function parseHeader(text: string, fail: Fail): Header {
  if (!text.startsWith("{")) fail("the header does not start with {");
  const cursor = new Cursor(text, fail);
  const tensors: HeaderTensor[] = [];
  let metadata: Readonly<Record<string, string>> = {};
  cursor.members((name) => {
    if (name === metadataName) metadata = cursor.accept("null") ? {} : parseMetadata(cursor);
    else tensors.push(parseTensor(name, cursor, fail));
  });
  cursor.end();
  return { metadata, tensors };
}

function parseMetadata(cursor: Cursor): Readonly<Record<string, string>> {
  const entries: [string, string][] = [];
  cursor.members((key) => entries.push([key, cursor.string()]));
  return Object.fromEntries(entries);
}

function parseTensor(name: string, cursor: Cursor, fail: Fail): HeaderTensor {
  let dtype: string | undefined;
  let shape: readonly number[] | undefined;
  let offsets: readonly number[] | undefined;
  cursor.members((field) => {
    if (field === "dtype") dtype = cursor.string();
    else if (field === "shape") shape = cursor.integers(mostDimensions);
    else if (field === "data_offsets") offsets = cursor.integers(2);
    else fail(`tensor ${quote(name)} has an unknown field ${quote(field)}`);
  });
  if (dtype === undefined || shape === undefined || offsets?.length !== 2) {
    return fail(`tensor ${quote(name)} needs dtype, shape and two data_offsets`);
  }
  return { name, dtype, shape, offsets };
}

class Cursor {
  readonly #text: string;
  readonly #fail: Fail;
  #at = 0;

  constructor(text: string, fail: Fail) {
    this.#text = text;
    this.#fail = fail;
  }

  /** Calls `each` with every name of an object, to read its value. */
  members(each: (name: string) => void): void {
    const seen = new Set<string>();
    this.#expect("{");
    if (this.accept("}")) return;
    do {
      const name = this.string();
      if (seen.has(name)) this.#fail(`${quote(name)} is in the header twice`);
      seen.add(name);
      this.#expect(":");
      each(name);
    } while (this.accept(","));
    this.#expect("}");
  }

  integers(most: number): readonly number[] {
    const values: number[] = [];
    this.#expect("[");
    if (this.accept("]")) return values;
    do {
      if (values.length === most) this.#bad(`more than ${most} numbers`);
      values.push(this.#integer());
    } while (this.accept(","));
    this.#expect("]");
    return values;
  }

  string(): string {
    this.#skipSpace();
    const start = this.#at;
    if (this.#text[start] !== '"') this.#bad("no string where one is due");
    let isPlain = true;
    for (let at = start + 1; at < this.#text.length; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === 0x5c) {
        isPlain = false;
        at++;
      } else if (code === 0x22) {
        this.#at = at + 1;
        return isPlain ? this.#text.slice(start + 1, at) : this.#unescape(this.#text.slice(start, at + 1));
      } else if (code < 0x20) this.#bad("a control character in a string");
    }
    return this.#bad("a string without an end");
  }

  accept(word: string): boolean {
    this.#skipSpace();
    const isThere = this.#text.startsWith(word, this.#at);
    if (isThere) this.#at += word.length;
    return isThere;
  }

  end(): void {
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#bad("more after the last }");
  }

  #expect(word: string): void {
    if (!this.accept(word)) this.#bad(`no ${word} where one is due`);
  }

  #integer(): number {
    this.#skipSpace();
    const start = this.#at;
    while (isDigit(this.#text.charCodeAt(this.#at))) this.#at++;
    const digits = this.#text.slice(start, Math.min(this.#at, start + 17));
    const value = Number(digits);
    const isInteger = digits !== "" && Number.isSafeInteger(value) && (digits === "0" || digits[0] !== "0");
    return isInteger ? value : this.#bad("no whole number from 0 to 2^53 - 1 where one is due");
  }

  #unescape(literal: string): string {
    try {
      const value = JSON.parse(literal) as string;
      if (!/\p{Surrogate}/u.test(value)) return value;
    } catch {
      // Said below.
    }
    return this.#bad("an escape that is none in a string");
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at++;
  }

  #bad(problem: string): never {
    return this.#fail(`the header is broken at character ${this.#at}: ${problem}`);
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
