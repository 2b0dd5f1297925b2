// The reasoning block of a reply: `<think> ... </think>` before the answer. Total: any text splits into reasoning and content.

export interface Reasoned {
  readonly reasoning: string | undefined;
  readonly content: string;
}

export const reasoningTags = { open: "<think>", close: "</think>" } as const;

/**
 * `isOpen` when the prompt ended inside a block, so the reply starts in it. A closing tag without an opening one means the same.
 * A block that is never closed is all reasoning: the reply was cut off while thinking.
 */
export function splitReasoning(text: string, isOpen = false): Reasoned {
  const { open, close } = reasoningTags;
  const leading = text.trimStart();
  const hasOpening = leading.startsWith(open);
  const inner = hasOpening ? leading.slice(open.length) : text;
  const end = inner.indexOf(close);
  const opening = inner.indexOf(open);
  const closesPrompt = end >= 0 && (opening < 0 || opening > end);
  if (!hasOpening && !isOpen && !closesPrompt) return { reasoning: undefined, content: text };
  const reasoning = withoutTrailing(withoutLeading(end < 0 ? inner : inner.slice(0, end)));
  const content = end < 0 ? "" : withoutLeading(inner.slice(end + close.length));
  return { reasoning: reasoning === "" ? undefined : reasoning, content };
}

/** Line breaks only. Without a regular expression, which would take the square of a run of them; policies do write such runs. */
function withoutLeading(text: string): string {
  let start = 0;
  while (text[start] === "\n") start++;
  return text.slice(start);
}

function withoutTrailing(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\n") end--;
  return text.slice(0, end);
}
