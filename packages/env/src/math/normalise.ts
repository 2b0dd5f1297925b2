// An answer as text, before it is read: without its box, its delimiters and the punctuation of its sentence, in ASCII.
import { lastBoxes } from "./scan/segments.ts";
import { toAscii } from "./scan/unicode.ts";

export function normalise(text: string): string {
  const unboxed = text.includes("\\boxed") || text.includes("\\fbox") ? (lastBoxes(text)?.content ?? text) : text;
  let plain = undelimited(toAscii(unboxed).trim());
  if (!plain.includes("\\begin")) plain = unescaped(plain);
  return trimEnd(plain).replace(/^(-?0),(\d{3,})$/, "$1.$2");
}

/** Without $...$, \(...\), \[...\], **...** or `...` around all of it. */
function undelimited(text: string): string {
  for (const [open, close] of delimiters) {
    const isAround = text.startsWith(open) && text.endsWith(close) && text.length > open.length + close.length;
    const inner = isAround ? text.slice(open.length, -close.length) : "";
    if (isAround && !inner.includes(close)) return undelimited(inner.trim());
  }
  return text;
}

const delimiters = [
  ["$$", "$$"],
  ["$", "$"],
  ["\\(", "\\)"],
  ["\\[", "\\]"],
  ["**", "**"],
  ["`", "`"],
] as const;

/** Backslashes that were escaped once too often: \\frac. */
function unescaped(text: string): string {
  return text.includes("\\\\") ? text.replaceAll(/\\\\(?=[a-zA-Z{}])/g, "\\") : text;
}

/** The end of the sentence is no part of the answer; the dots of 0.333... are. */
function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s.,;:]/.test(text[end - 1] ?? "")) end--;
  return text.startsWith("...", end) ? text.slice(0, end + 3) : text.slice(0, end);
}
