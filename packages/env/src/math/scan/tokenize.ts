// Text to tokens, in one pass. Layout is dropped ($, \left, \quad), synonyms become one name, words are sorted by scan/words.ts.
import { limits, OutOfBounds } from "../bounds.ts";
import { integer } from "../rational.ts";
import { Characters } from "./characters.ts";
import { commandNames, ignoredWithGroup, relationNames, spacing, textual } from "./commands.ts";
import { isDigit, scanBased, scanNumber } from "./number.ts";
import type { Reading, Token } from "./token.ts";
import { isUnitLetter } from "./units.ts";
import { groupMeaning, wordTokens } from "./words.ts";

export function tokenize(text: string, reading: Reading): Token[] {
  return [...new Scanner(text, reading).tokens(), { kind: "end", text: "", isSpaced: false }];
}

type Kind = Exclude<Token["kind"], "number">;
const deepestText = 3;

class Scanner {
  readonly #characters: Characters;
  readonly #reading: Reading;
  readonly #nesting: number;
  readonly #hasSubscripts: boolean;
  readonly #tokens: Token[] = [];
  #isSpaced = false;
  #brackets = 0;
  /** How many arguments the last \frac still takes: each may be one digit, \frac12. */
  #wanted = 0;
  /** For each open group, what is wanted after it. */
  readonly #wantedAfter: number[] = [];
  /** \$ stands before its number; the unit is put after it. */
  #isMoney = false;

  constructor(text: string, reading: Reading, nesting = 0) {
    this.#characters = new Characters(text);
    this.#reading = reading;
    this.#nesting = nesting;
    this.#hasSubscripts = text.includes("_");
  }

  tokens(): Token[] {
    while (!this.#characters.isAtEnd) this.#scan(this.#characters.peek());
    return this.#tokens;
  }

  #scan(character: string): void {
    const startsDecimal = character === "." && isDigit(this.#characters.peek(1)) && !isDigit(this.#characters.peek(-1));
    if (/\s/.test(character) || character === "~" || character === "$") this.#skip(1);
    else if (character === "\\") this.#command();
    else if (isDigit(character) || startsDecimal) this.#number();
    else if (/\p{L}/u.test(character)) this.#word();
    else this.#symbol(character);
  }

  #skip(count: number): void {
    this.#characters.at += count;
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
    const { text, at } = this.#characters;
    const isSpaced = this.#isSpaced;
    if (this.#wanted > 0 && isDigit(text[at])) {
      const digit = text[this.#characters.at++] ?? "0";
      this.#add({ kind: "number", text: digit, isSpaced, value: integer(BigInt(digit)), isDecimal: false });
      return;
    }
    const based = this.#hasSubscripts ? scanBased(text, at) : undefined;
    const before = this.#tokens.at(-1);
    const isScript = before?.kind === "symbol" && (before.text === "_" || before.text === "^");
    const { value, isDecimal, end } = based ?? scanNumber(text, at, this.#reading, this.#brackets > 0 || isScript);
    this.#characters.at = end;
    this.#add({ kind: "number", text: text.slice(at, end), isSpaced, value, isDecimal });
    if (this.#isMoney) this.#push("text", "dollars");
    this.#isMoney = false;
  }

  #word(): void {
    const { text, at } = this.#characters;
    if (this.#hasSubscripts && scanBased(text, at) !== undefined) {
      this.#number();
      return;
    }
    const word = this.#characters.takeWhile((character) => /\p{L}/u.test(character));
    if (word.length === 1) this.#push(this.#isUnit(word) ? "text" : "letter", word);
    else {
      const next = this.#characters.nextVisible();
      const place = { isSpaced: this.#isSpaced, previous: this.#tokens.at(-1), next };
      for (const token of wordTokens(word, place)) this.#add(token);
    }
  }

  /** 5 m, 5 m^2, 5 m/s: a unit's letter, after a number and a space, at the end. */
  #isUnit(letter: string): boolean {
    const next = this.#characters.nextVisible();
    const isLast = next === "" || next === "^" || next === "/";
    return isUnitLetter(letter) && this.#isSpaced && this.#tokens.at(-1)?.kind === "number" && isLast;
  }

  #symbol(character: string): void {
    const { text, at } = this.#characters;
    const pair = pairs.get(text.slice(at, at + 2));
    const previous = this.#tokens.at(-1);
    const isFactorial = character === "!" && (previous?.kind === "number" || previous?.text === ")");
    const isConstant =
      character === "%" && previous?.kind !== "number" && /^%(?:pi|e|i)(?![a-z])/.test(text.slice(at, at + 4));
    if (text.startsWith("...", at)) {
      this.#characters.at += 3;
      this.#push("command", "ldots");
    } else if (pair !== undefined && !isFactorial) {
      this.#characters.at += 2;
      this.#push(commandNames.has(pair) ? "command" : "symbol", pair);
    } else if (isConstant || character === "." || character === '"') this.#skip(1);
    else this.#pushSymbol(character, 1);
  }

  #pushSymbol(symbol: string, length: number): void {
    this.#characters.at += length;
    if (symbol === "(" || symbol === "[" || symbol === "\\{") this.#brackets++;
    else if ((symbol === ")" || symbol === "]" || symbol === "\\}") && this.#brackets > 0) this.#brackets--;
    this.#push("symbol", symbol);
  }

  #command(): void {
    const next = this.#characters.peek(1);
    if (/[a-zA-Z]/.test(next)) {
      this.#characters.at++;
      this.#named(this.#characters.takeWhile((character) => /[a-zA-Z]/.test(character)));
    } else if (next === "{" || next === "}" || next === "\\") this.#pushSymbol(`\\${next}`, 2);
    else if (next === "%") this.#pushSymbol("%", 2);
    else if (next === "|") {
      this.#characters.at += 2;
      this.#push("command", "vert");
    } else {
      this.#isMoney ||= next === "$";
      this.#skip(2);
    }
  }

  #named(name: string): void {
    if (name === "left" || name === "right") this.#delimiter(name);
    else if (spacing.has(name)) this.#isSpaced = true;
    else if (ignoredWithGroup.has(name)) {
      this.#characters.takeGroup();
      this.#isSpaced = true;
    } else if (name === "begin" || name === "end") this.#environment(name);
    else if (textual.has(name)) this.#words();
    else if (name === "mathbb" || name === "Bbb") this.#numberSet();
    else {
      const known = commandNames.get(name) ?? name;
      const symbol = commandSymbols.get(known) ?? relationNames.get(known);
      if (symbol === undefined) this.#push("command", known);
      else this.#pushSymbol(symbol, 0);
    }
  }

  /** \left. and \right. are nothing; \left| is told apart from \right|. */
  #delimiter(name: "left" | "right"): void {
    this.#characters.takeWhile((character) => character === " ");
    const next = this.#characters.peek();
    if (next === ".") this.#skip(1);
    else if (next === "|" || next === "<" || next === ">") {
      this.#characters.at += 1;
      const side = name === "left" ? "l" : "r";
      this.#push("command", next === "|" ? `${side}vert` : `${side}angle`);
    }
  }

  #environment(name: "begin" | "end"): void {
    const environment = (this.#characters.takeGroup() ?? "").replace("*", "").trim();
    this.#push(name === "begin" ? "begin" : "finish", environment);
    if (name === "begin" && (environment === "array" || environment === "tabular")) this.#characters.takeGroup();
  }

  #numberSet(): void {
    const letter = (this.#characters.takeGroup() ?? this.#characters.text[this.#characters.at++] ?? "").trim();
    this.#push(/^[NZQRC]$/.test(letter) ? "number-set" : "letter", letter);
  }

  #words(): void {
    const content = this.#characters.takeGroup();
    if (content === undefined) return;
    const { kind, text } = groupMeaning(content, this.#tokens.at(-1));
    if (kind === "space") this.#isSpaced = true;
    else if (kind !== "mathematics") this.#push(kind, text);
    else if (this.#nesting >= deepestText) throw new OutOfBounds("depth");
    else {
      this.#isSpaced ||= content.startsWith(" ");
      for (const token of new Scanner(text, this.#reading, this.#nesting + 1).tokens()) this.#add(token);
    }
  }
}

const commandSymbols: ReadonlyMap<string, string> = new Map(
  Object.entries({ lbrace: "\\{", rbrace: "\\}", lbrack: "[", rbrack: "]", approx: "~" }),
);

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
