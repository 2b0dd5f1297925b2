// Keeps what people and models wrote from becoming control tokens when a conversation is rendered.
// A guard character is put inside everything that looks like a control token before the template sees it, and dropped after control
// tokens were looked for. The guard is a character that occurs nowhere in the conversation or the template, so nothing else is dropped
// and text without look-alikes is encoded exactly as Hugging Face encodes the rendered conversation.
import { HoneError, type Json, type JsonObject } from "@hone/core";
import { escapePattern } from "./added-tokens.ts";

export interface Escape {
  /** A guard for these variables, or undefined when nothing in them looks like a control token. */
  choose(variables: JsonObject, templateSource: string): string | undefined;
  /** The variables with the guard in every look-alike. */
  apply(variables: JsonObject, guard: string): JsonObject;
}

/** U+007F is in no trimmed set and no JSON escape; noncharacters come after it. */
const guards = [0x7f, ...Array.from({ length: 32 }, (_, index) => 0xfdd0 + index)].map((code) =>
  String.fromCharCode(code),
);

export function createEscape(controlTokens: Iterable<string>): Escape {
  // A token of one character cannot be split; there is none in any chat model.
  const tokens = [...controlTokens].filter((token) => token.length > 1);
  const longestFirst = tokens.toSorted((a, b) => b.length - a.length).map(escapePattern);
  const pattern = longestFirst.length === 0 ? /(?!)/gu : new RegExp(longestFirst.join("|"), "gu");
  const starts = new Set(tokens.flatMap((token) => cuts(token).map((at) => token.slice(0, at))));
  const ends = new Set(tokens.flatMap((token) => cuts(token).map((at) => token.slice(at))));
  const longest = Math.max(0, ...tokens.map((token) => token.length)) - 1;

  const endsInToken = (text: string): boolean => {
    for (let length = 1; length <= Math.min(longest, text.length); length++) {
      if (starts.has(text.slice(-length))) return true;
    }
    return false;
  };
  const beginsInToken = (text: string): boolean => {
    for (let length = 1; length <= Math.min(longest, text.length); length++) {
      if (ends.has(text.slice(0, length))) return true;
    }
    return false;
  };
  const guardWhole = (text: string, guard: string): string => {
    let guarded = text;
    // Again, because breaking one look-alike may leave another that overlapped it.
    for (let before = ""; before !== guarded;) {
      before = guarded;
      guarded = guarded.replaceAll(pattern, (token) => {
        const [first = ""] = token;
        return first + guard + token.slice(first.length);
      });
    }
    return guarded;
  };
  /** The rest of a token might be template text next to this one. */
  const guardText = (text: string, guard: string): string =>
    (beginsInToken(text) ? guard : "") + guardWhole(text, guard) + (endsInToken(text) ? guard : "");
  const isLike = (text: string): boolean => text.search(pattern) >= 0;

  return {
    choose: (variables, templateSource) => {
      const texts: string[] = [];
      let isNeeded = false;
      mapTexts(variables, (text, isKey) => {
        texts.push(text);
        isNeeded ||= isLike(text) || (!isKey && (beginsInToken(text) || endsInToken(text)));
        return text;
      });
      if (!isNeeded) return undefined;
      const isFree = (guard: string) => !templateSource.includes(guard) && !texts.some((text) => text.includes(guard));
      const guard = guards.find(isFree);
      if (guard !== undefined) return guard;
      throw new HoneError("this conversation contains every character that could guard its control tokens", {
        code: "chat-template",
        hint: "Remove U+007F or the noncharacters U+FDD0 to U+FDEF from its messages.",
      });
    },
    apply: (variables, guard) =>
      mapTexts(variables, (text, isKey) => (isKey ? guardWhole : guardText)(text, guard)) as JsonObject,
  };
}

/** Every inner position of a token. */
function cuts(token: string): number[] {
  return Array.from({ length: token.length - 1 }, (_, index) => index + 1);
}

/** Keys are texts too: models choose the names of arguments. But templates ask for keys by name, so those are left alone at their ends. */
function mapTexts(value: Json, change: (text: string, isKey: boolean) => string): Json {
  if (typeof value === "string") return change(value, false);
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => mapTexts(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [change(key, true), mapTexts(item, change)]));
}
