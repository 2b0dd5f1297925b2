// Tokens that are read from text as a whole, before the model's merges see it. Some are words of a format (`<think>`), some are control.
// Invariant: control tokens are found only when the caller asks, so text that somebody wrote never becomes one.

/** An entry of `added_tokens` in tokenizer.json. */
export interface AddedToken {
  readonly content: string;
  readonly id: number;
  readonly special: boolean;
  /** Looked for in normalised text. */
  readonly normalized: boolean;
  /** Takes the white space before it. */
  readonly lstrip: boolean;
  /** Takes the white space after it. */
  readonly rstrip: boolean;
  readonly single_word: boolean;
}

/** A stretch of text: one added token (with its id), or text between them. */
export interface Section {
  readonly text: string;
  readonly start: number;
  readonly id: number | undefined;
}

/**
 * Marked special, or written `<|...|>`. Words such as `<think>` and `<tool_call>` are not marked special in the files that have
 * them, and people write them into prompts on purpose; Hugging Face makes the same distinction with `split_special_tokens`.
 */
export function isControl(token: AddedToken): boolean {
  return token.special || (token.content.startsWith("<|") && token.content.endsWith("|>"));
}

/** Splits at the tokens given: leftmost first, the longest of those that start there. */
export function createSplitter(
  tokens: readonly AddedToken[],
  textOf: (token: AddedToken) => string = (token) => token.content,
): (text: string) => Section[] {
  const ids = new Map(tokens.map((token) => [textOf(token), token.id]));
  ids.delete("");
  if (ids.size === 0) return (text) => (text === "" ? [] : [{ text, start: 0, id: undefined }]);
  const longestFirst = tokens
    .filter((token) => textOf(token) !== "")
    .sort((a, b) => textOf(b).length - textOf(a).length);
  const pattern = new RegExp(longestFirst.map((token) => patternOf(token, textOf(token))).join("|"), "gu");
  return (text) => {
    const sections: Section[] = [];
    let from = 0;
    for (const match of text.matchAll(pattern)) {
      if (match.index > from) sections.push({ text: text.slice(from, match.index), start: from, id: undefined });
      const id = ids.get(match[0]) ?? ids.get(match[0].replaceAll(/^\p{White_Space}+|\p{White_Space}+$/gu, ""));
      sections.push({ text: match[0], start: match.index, id });
      from = match.index + match[0].length;
    }
    if (from < text.length) sections.push({ text: text.slice(from), start: from, id: undefined });
    return sections;
  };
}

function patternOf(token: AddedToken, text: string): string {
  const word = String.raw`[\p{L}\p{M}\p{N}_]`;
  const literal = token.single_word ? `(?<!${word})${escapePattern(text)}(?!${word})` : escapePattern(text);
  const space = String.raw`\p{White_Space}*`;
  return `${token.lstrip ? space : ""}${literal}${token.rstrip ? space : ""}`;
}

/** The text as a regular expression that matches it and nothing else. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
