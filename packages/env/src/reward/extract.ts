// Reward helpers: the answer inside a reply. Every function reads the text a constant number of times, so a hostile reply costs no more than its length.
// Without the mark they give the text back, as people know it from verifiers; `strict` gives "" instead, so that a reply without the mark cannot match.

export interface ExtractOptions {
  /** "" when the mark is missing or unfinished, instead of the text. */
  readonly strict?: boolean;
}

/** The content of the last `\boxed{...}`, with braces matched. */
export function extractBoxed(text: string, { strict = false }: ExtractOptions = {}): string {
  const open = text.lastIndexOf("\\boxed{");
  const otherwise = strict ? "" : text;
  if (open === -1) return otherwise;
  const start = open + "\\boxed{".length;
  let depth = 1;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === "{") depth += 1;
    else if (character === "}" && --depth === 0) return text.slice(start, at);
  }
  return otherwise;
}

/** What stands between the first "####" and the next one (or the end), trimmed. */
export function extractHash(text: string, { strict = false }: ExtractOptions = {}): string {
  const mark = text.indexOf("####");
  if (mark === -1) return strict ? "" : text;
  const start = mark + 4;
  const end = text.indexOf("####", start);
  return text.slice(start, end === -1 ? undefined : end).trim();
}

/** The first line of what follows the last "####", trimmed: the final answer of a reply that may have headings before it and a farewell after. */
export function extractLastHash(text: string, { strict = false }: ExtractOptions = {}): string {
  const mark = text.lastIndexOf("####");
  if (mark === -1) return strict ? "" : text;
  const rest = text.slice(mark + 4).trimStart();
  const end = rest.search(/[\r\n]/);
  return (end === -1 ? rest : rest.slice(0, end)).trimEnd();
}
