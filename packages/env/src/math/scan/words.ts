// Bare words in an answer: functions (sin), connectives (or), units and prose; what is none of these is letters side by side.
// "sinx" is a function and a letter, "abc" three letters, "east" a word: a word taken for letters would equal its anagrams.
import { commandNames, functions, listFunctions, prefixFunctions, wordCommands } from "./commands.ts";
import type { Token } from "./token.ts";
import { isUnitLetter, isUnitWord } from "./units.ts";

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
  if (previous?.kind === "text" && !wordCommands.has(word)) return [token("text", word)];
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

function isValueEnd({ kind, text }: Token): boolean {
  if (kind === "symbol") return text === ")" || text === "}" || text === "]" || text === "%";
  return kind === "number" || kind === "text" || kind === "letter" || (kind === "command" && text === "pi");
}

function letters(word: string, isSpaced: boolean): Token[] {
  return [...word].map((text, index) => ({ kind: "letter", text, isSpaced: index === 0 && isSpaced }));
}

export interface GroupMeaning {
  readonly kind: "space" | "mathematics" | "command" | "connective" | "symbol" | "text";
  readonly text: string;
}

/** What the group of \text and its relatives is: a connective, a function's name, mathematics after all, or words. */
export function groupMeaning(content: string, previous: Token | undefined): GroupMeaning {
  const words = content.trim();
  const bare = words.replace(/^[,;]\s*/, "").toLowerCase();
  const known = commandNames.get(words);
  if (words === "") return { kind: "space", text: "" };
  if (/^(?:st|nd|rd|th)$/.test(words)) return { kind: "text", text: words };
  if (bare === "and" || bare === "or") return { kind: "connective", text: bare };
  if (known !== undefined && (functions.has(known) || listFunctions.has(known)))
    return { kind: "command", text: known };
  if (isUnitLetter(words) && previous !== undefined && isValueEnd(previous)) return { kind: "text", text: words };
  if (isMathematics(words)) return { kind: "mathematics", text: words };
  if (percentWords.has(words)) return { kind: "symbol", text: "%" };
  return { kind: "text", text: words.replaceAll(/\\[,;:! ]|[~\\]/g, " ").trim() };
}

/** Letters and numbers that only happen to stand in \text: "A", "A, D", "13 cm", "$x$". */
function isMathematics(words: string): boolean {
  if (words.length === 1 || /^-?\d|[$=<>]|\\(?:frac|sqrt)/.test(words)) return true;
  return /^[A-Za-z](?:\s*,\s*[A-Za-z])+$/.test(words) || /^[\s.,%+\-*/^]+$/.test(words) || /^\\[a-z]+$/.test(words);
}
