// Text to tokens, in one pass. Layout is dropped ($, \left, \quad), synonyms become one name, words are sorted by scan/words.ts.
import { limits, OutOfBounds } from "../bounds.ts";
import { integer } from "../rational.ts";
import {
  commandNames,
  functions,
  ignoredWithGroup,
  listFunctions,
  relationNames,
  spacing,
  textual,
} from "./commands.ts";
import { isDigit, scanBased, scanNumber } from "./number.ts";
import type { Reading, Token } from "./token.ts";
import { wordTokens } from "./words.ts";

export function tokenize(text: string, reading: Reading): Token[] {
  const scanner = new Scanner(text, reading);
  return [...scanner.tokens(), { kind: "end", text: "", isSpaced: false }];
}

type Kind = Exclude<Token["kind"], "number">;

class Scanner {
  readonly #text: string;
  readonly #reading: Reading;
  readonly #nesting: number;
  readonly #hasSubscripts: boolean;
  readonly #tokens: Token[] = [];
  #at = 0;
  #isSpaced = false;
  #brackets = 0;
  /** How many arguments the last \frac still takes: each may be one digit, \frac12. */
  #wanted = 0;
  /** For each open group, what is wanted after it. */
  readonly #wantedAfter: number[] = [];

  constructor(text: string, reading: Reading, nesting = 0) {
    this.#text = text;
    this.#reading = reading;
    this.#nesting = nesting;
    this.#hasSubscripts = text.includes("_");
  }

  tokens(): Token[] {
    while (this.#at < this.#text.length) this.#scan(this.#text[this.#at] ?? "");
    return this.#tokens;
  }

  #scan(character: string): void {
    if (/\s/.test(character) || character === "~" || character === "$") this.#skip(1);
    else if (character === "\\") this.#command();
    else if (isDigit(character)) this.#number();
    else if (character === "." && isDigit(this.#text[this.#at + 1]) && !isDigit(this.#text[this.#at - 1]))
      this.#number();
    else if (/\p{L}/u.test(character)) this.#word();
    else this.#symbol(character);
  }

  #skip(count: number): void {
    this.#at += count;
    this.#isSpaced = true;
  }

  #push(kind: Kind, text: string): void {
    this.#add({ kind, text, isSpaced: this.#isSpaced });
  }

  #add(token: Token): void {
    const last = this.#tokens.at(-1);
    if (token.kind === "text" && last?.kind === "text")
      this.#tokens[this.#tokens.length - 1] = { ...last, text: `${last.text} ${token.text}` };
    else this.#tokens.push(token);
    this.#isSpaced = false;
    this.#count(token);
    if (this.#tokens.length > limits.tokens) throw new OutOfBounds("tokens");
  }

  /** Keeps track of what \frac still wants. */
  #count(token: Token): void {
    if (token.kind === "symbol" && token.text === "{") {
      this.#wantedAfter.push(Math.max(0, this.#wanted - 1));
      this.#wanted = 0;
    } else if (token.kind === "symbol" && token.text === "}") this.#wanted = this.#wantedAfter.pop() ?? 0;
    else if (token.kind === "command" && (token.text === "frac" || token.text === "binom")) this.#wanted = 2;
    else this.#wanted = Math.max(0, this.#wanted - 1);
  }

  #number(): void {
    if (this.#wanted > 0 && isDigit(this.#text[this.#at])) {
      const text = this.#text[this.#at++] ?? "";
      this.#add({ kind: "number", text, isSpaced: this.#isSpaced, value: integer(BigInt(text)), isDecimal: false });
      return;
    }
    const based = this.#hasSubscripts ? scanBased(this.#text, this.#at) : undefined;
    const numeral = based ?? scanNumber(this.#text, this.#at, this.#reading, this.#brackets > 0);
    const { value, isDecimal, end } = numeral;
    const text = this.#text.slice(this.#at, end);
    this.#add({ kind: "number", text, isSpaced: this.#isSpaced, value, isDecimal });
    this.#at = end;
  }

  #word(): void {
    const start = this.#at;
    const based = this.#hasSubscripts ? scanBased(this.#text, start) : undefined;
    if (based !== undefined) {
      this.#number();
      return;
    }
    while (/^\p{L}$/u.test(this.#text[this.#at] ?? "")) this.#at++;
    const word = this.#text.slice(start, this.#at);
    if (word.length <= 1) {
      this.#push("letter", word === "" ? this.#takeSurrogate(start) : word);
      return;
    }
    const place = { isSpaced: this.#isSpaced, previous: this.#tokens.at(-1), next: this.#nextCharacter() };
    for (const token of wordTokens(word, place)) this.#add(token);
  }

  /** A letter outside the basic plane. */
  #takeSurrogate(start: number): string {
    this.#at = start + 1;
    return this.#text[start] ?? "";
  }

  #nextCharacter(): string {
    let at = this.#at;
    while (this.#text[at] === " " && at < this.#at + 8) at++;
    return this.#text[at] ?? "";
  }

  #symbol(character: string): void {
    const pair = pairs.get(this.#text.slice(this.#at, this.#at + 2));
    const previous = this.#tokens.at(-1);
    const isFactorial = character === "!" && (previous?.kind === "number" || previous?.text === ")");
    if (this.#text.startsWith("...", this.#at)) {
      this.#at += 3;
      this.#push("command", "ldots");
    } else if (pair !== undefined && !isFactorial) {
      this.#at += 2;
      if (commandNames.has(pair)) this.#push("command", pair);
      else this.#push("symbol", pair);
    } else if (character === "." || character === '"') this.#skip(1);
    else {
      this.#at += 1;
      this.#bracket(character);
      this.#push("symbol", character);
    }
  }

  #bracket(symbol: string): void {
    if (symbol === "(" || symbol === "[" || symbol === "\\{") this.#brackets++;
    else if ((symbol === ")" || symbol === "]" || symbol === "\\}") && this.#brackets > 0) this.#brackets--;
  }

  #command(): void {
    const next = this.#text[this.#at + 1] ?? "";
    if (!/[a-zA-Z]/.test(next)) {
      this.#controlSymbol(next);
      return;
    }
    const start = this.#at + 1;
    this.#at = start;
    while (/[a-zA-Z]/.test(this.#text[this.#at] ?? "")) this.#at++;
    this.#named(this.#text.slice(start, this.#at));
  }

  #controlSymbol(next: string): void {
    if (next === "{" || next === "}") {
      this.#at += 2;
      this.#bracket(`\\${next}`);
      this.#push("symbol", `\\${next}`);
    } else if (next === "\\") {
      this.#at += 2;
      this.#push("symbol", "\\\\");
    } else if (next === "%") {
      this.#at += 2;
      this.#push("symbol", "%");
    } else if (next === "|") {
      this.#at += 2;
      this.#push("command", "vert");
    } else this.#skip(2);
  }

  #named(name: string): void {
    if (name === "left" || name === "right") this.#delimiter(name);
    else if (spacing.has(name)) this.#isSpaced = true;
    else if (ignoredWithGroup.has(name)) {
      this.#group();
      this.#isSpaced = true;
    } else if (name === "begin" || name === "end") this.#environment(name);
    else if (textual.has(name)) this.#words();
    else if (name === "mathbb" || name === "Bbb") this.#numberSet();
    else if (name === "lbrace" || name === "rbrace") {
      const brace = name === "lbrace" ? "\\{" : "\\}";
      this.#bracket(brace);
      this.#push("symbol", brace);
    } else {
      const known = commandNames.get(name) ?? name;
      const related = relationNames.get(known);
      if (related !== undefined && related.length <= 2 && known !== "in" && known !== "to")
        this.#push("symbol", related);
      else if (known === "lbrack" || known === "rbrack") this.#push("symbol", known === "lbrack" ? "[" : "]");
      else if (known === "approx") this.#push("symbol", "~");
      else this.#push("command", known);
    }
  }

  /** \left. and \right. are nothing; \left| is told apart from \right|. */
  #delimiter(name: "left" | "right"): void {
    while (this.#text[this.#at] === " ") this.#at++;
    const next = this.#text[this.#at];
    if (next === ".") this.#skip(1);
    else if (next === "|") {
      this.#at += 1;
      this.#push("command", name === "left" ? "lvert" : "rvert");
    } else if (next === "<" || next === ">") {
      this.#at += 1;
      this.#push("command", name === "left" ? "langle" : "rangle");
    }
  }

  #environment(name: "begin" | "end"): void {
    const environment = this.#group() ?? "";
    this.#push(name === "begin" ? "begin" : "finish", environment.replace("*", "").trim());
    if (name === "begin" && (environment === "array" || environment === "tabular")) this.#group();
  }

  #numberSet(): void {
    const letter = (this.#group() ?? this.#text[this.#at++] ?? "").trim();
    this.#push(/^[NZQRC]$/.test(letter) ? "number-set" : "letter", letter);
  }

  /** The group that stands here, without its braces; undefined when there is none. An unclosed group goes to the end. */
  #group(): string | undefined {
    let at = this.#at;
    while (this.#text[at] === " ") at++;
    if (this.#text[at] !== "{") return undefined;
    const start = at + 1;
    let depth = 1;
    for (at = start; at < this.#text.length && depth > 0; at++) {
      const character = this.#text[at];
      if (character === "\\") at++;
      else if (character === "{") depth++;
      else if (character === "}") depth--;
    }
    this.#at = at;
    return this.#text.slice(start, depth === 0 ? at - 1 : at);
  }

  /** The group of \text and its relatives: a connective, a function's name, a letter, mathematics after all, or words. */
  #words(): void {
    const content = this.#group();
    if (content === undefined) return;
    const words = content.trim();
    const bare = words.replace(/^[,;]\s*/, "").toLowerCase();
    const known = commandNames.get(words);
    if (words === "") this.#isSpaced = true;
    else if (bare === "and" || bare === "or") this.#push("connective", bare);
    else if (known !== undefined && (functions.has(known) || listFunctions.has(known))) this.#push("command", known);
    else if (isMathematics(words) && this.#nesting < 3) {
      this.#isSpaced ||= content.startsWith(" ");
      for (const token of new Scanner(words, this.#reading, this.#nesting + 1).tokens()) this.#add(token);
    } else if (/^(?:percent(?:age)?|pct)$/.test(words)) this.#push("symbol", "%");
    else this.#push("text", words.replaceAll(/\\[,;:! ]|[~\\]/g, " ").trim());
  }
}

/** Letters and numbers that only happen to stand in \text: "A", "A, D", "13", "$x$". */
function isMathematics(words: string): boolean {
  if (words.length === 1 || words.includes("$")) return true;
  return (
    /^[A-Za-z](?:\s*,\s*[A-Za-z])+$/.test(words) || /^[\d\s.,%+\-*/^=<>]*$/.test(words) || /^\\[a-z]+$/.test(words)
  );
}

const pairs: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "**": "^",
    "<=": "<=",
    ">=": ">=",
    "!=": "!=",
    "<>": "!=",
    "==": "=",
    ":=": "=",
    "->": "to",
    "=>": "implies",
  }),
);
