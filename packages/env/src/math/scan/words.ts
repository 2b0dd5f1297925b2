// Bare words in an answer: functions (sin), connectives (or), units and prose; what is none of these is letters side by side.
// "sinx" is a function and a letter, "abc" three letters, "east" a word: a word taken for letters would equal its anagrams.
import { commandNames, prefixFunctions, wordCommands } from "./commands.ts";
import type { Token } from "./token.ts";
import { isUnitWord } from "./units.ts";

export interface WordPlace {
  readonly isSpaced: boolean;
  readonly previous: Token | undefined;
  /** The next character that is not white space; "" at the end. */
  readonly next: string;
}

const connectives = new Set(["and", "or", "And", "Or", "AND", "OR"]);
const percentWords = new Set(["percent", "percentage", "pct"]);
const infinityWords = new Set(["inf", "oo", "Infinity", "Inf"]);
const conditionWords = new Set(["if", "when", "for", "where", "otherwise", "else", "is"]);

export function wordTokens(word: string, place: WordPlace): Token[] {
  const { isSpaced, previous, next } = place;
  const token = (kind: "letter" | "command" | "symbol" | "text" | "connective", text: string): Token => ({
    kind,
    text,
    isSpaced,
  });
  if (connectives.has(word)) return [token("connective", word.toLowerCase())];
  if (percentWords.has(word)) return [token("symbol", "%")];
  if (infinityWords.has(word)) return [token("command", "infinity")];
  if (conditionWords.has(word)) return [token("text", word)];
  const followsValue = previous !== undefined && isValueEnd(previous);
  const opensArgument = next === "(" || next === "{" || next === "\\" || next === "[" || /[a-z0-9^_]/i.test(next);
  if (word === "in" && opensArgument && (previous?.kind === "letter" || previous?.text === ")"))
    return [token("command", "in")];
  if (followsValue && isUnitWord(word) && !(wordCommands.has(word) && opensArgument)) return [token("text", word)];
  if (wordCommands.has(word)) return [token("command", commandNames.get(word) ?? word)];
  const prefix = prefixFunctions.find((name) => word.startsWith(name));
  if (prefix !== undefined && word.length - prefix.length <= 2)
    return [token("command", commandNames.get(prefix) ?? prefix), ...letters(word.slice(prefix.length), false)];
  return isProse(word, place) ? [token("text", word)] : letters(word, isSpaced);
}

/** Four letters or more with a vowel, not glued to a number or letter before it. */
function isProse(word: string, { isSpaced, previous }: WordPlace): boolean {
  if (word.length < 4 || !/[aeiouy]/i.test(word)) return false;
  return isSpaced || previous === undefined || !isValueEnd(previous) || previous.kind === "text";
}

function isValueEnd(token: Token): boolean {
  switch (token.kind) {
    case "number":
    case "text":
    case "letter":
      return true;
    case "symbol":
      return token.text === ")" || token.text === "}" || token.text === "]" || token.text === "%";
    case "command":
      return token.text === "pi";
    default:
      return false;
  }
}

export function letters(word: string, isSpaced: boolean): Token[] {
  return [...word].map((text, index) => ({ kind: "letter", text, isSpaced: index === 0 && isSpaced }));
}
