// Markdown as data: what a model wrote, as paragraphs, lists, headings and code. The page makes elements of its own from it; HTML in the text stays
// text, a link is its words and its address, a picture its words. Whatever is not understood is shown as it was written.

export type Block =
  | { readonly type: "code"; readonly language: string; readonly text: string }
  | { readonly type: "heading"; readonly level: number; readonly spans: readonly Span[] }
  | { readonly type: "list"; readonly isNumbered: boolean; readonly items: readonly ListItem[] }
  | { readonly type: "quote"; readonly spans: readonly Span[] }
  | { readonly type: "rule" }
  | { readonly type: "paragraph"; readonly spans: readonly Span[] };
export interface ListItem {
  readonly depth: number;
  readonly mark: string;
  readonly spans: readonly Span[];
}
export interface Span {
  readonly type: "text" | "code" | "strong" | "emphasis" | "link";
  readonly text: string;
  /** Of a link: shown beside its words, never followed. */
  readonly url?: string;
}

// None of these backtracks over more than a line once: what is parsed may have been written to make that slow.
const fence = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;
const heading = /^ {0,3}(#{1,6})\s+(.*)$/;
const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(\S.*)$/;
const rule = /^ {0,3}(?:[- ]+|[* ]+|[_ ]+)$/;
const quote = /^ {0,3}>\s?(.*)$/;

export function parseMarkdown(text: string): readonly Block[] {
  const blocks: Block[] = [];
  const lines = text.split("\n");
  let paragraph: string[] = [];
  const flush = (): void => {
    if (paragraph.length > 0) blocks.push({ type: "paragraph", spans: parseSpans(paragraph.join("\n")) });
    paragraph = [];
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const opened = fence.exec(line);
    const titled = heading.exec(line);
    const listed = item.exec(line);
    if (opened !== null) {
      flush();
      const end = closing(lines, at + 1, opened[1] ?? "```");
      blocks.push({ type: "code", language: (opened[2] ?? "").trim(), text: lines.slice(at + 1, end).join("\n") });
      at = end;
    } else if (titled !== null) {
      flush();
      blocks.push({ type: "heading", level: titled[1]?.length ?? 1, spans: parseSpans(titled[2] ?? "") });
    } else if (rule.test(line) && line.replaceAll(" ", "").length >= 3) {
      flush();
      blocks.push({ type: "rule" });
    } else if (listed !== null) {
      flush();
      addItem(blocks, {
        depth: (listed[1] ?? "").length >> 1,
        mark: listed[2] ?? "-",
        spans: parseSpans(listed[3] ?? ""),
      });
    } else if (quote.test(line)) {
      flush();
      const from = at;
      while (quote.test(lines[at + 1] ?? "")) at++;
      const quoted = lines.slice(from, at + 1).map((one) => quote.exec(one)?.[1] ?? "");
      blocks.push({ type: "quote", spans: parseSpans(quoted.join("\n")) });
    } else if (line.trim() === "") flush();
    else paragraph.push(line);
  }
  flush();
  return blocks;
}

/** The line that closes a fence; the end of the text where none does. */
function closing(lines: readonly string[], from: number, opened: string): number {
  const mark = opened[0] === "~" ? /^ {0,3}~{3,}\s*$/ : /^ {0,3}`{3,}\s*$/;
  const found = lines.findIndex(
    (line, index) => index >= from && mark.test(line) && line.trim().length >= opened.length,
  );
  return found < 0 ? lines.length : found;
}

function addItem(blocks: Block[], listed: ListItem): void {
  const isNumbered = /\d/.test(listed.mark);
  const last = blocks.at(-1);
  if (last?.type === "list") blocks[blocks.length - 1] = { ...last, items: [...last.items, listed] };
  else blocks.push({ type: "list", isNumbered, items: [listed] });
}

const span =
  /(`+)([^`\n]+)\1(?!`)|(\*\*|__)(?=\S)([^*_]+)\3|(?<![\w*])\*(?=[^\s*])([^*\n]+)\*(?![\w*])|!?\[([^\][\n]*)\]\(([^()\s]*)\)/g;

export function parseSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const found of text.matchAll(span)) {
    if (found.index > end) spans.push({ type: "text", text: text.slice(end, found.index) });
    const [, , code, , strong, emphasis, words, url] = found;
    if (code !== undefined) spans.push({ type: "code", text: code });
    else if (strong !== undefined) spans.push({ type: "strong", text: strong });
    else if (emphasis !== undefined) spans.push({ type: "emphasis", text: emphasis });
    else spans.push({ type: "link", text: words ?? "", url: url ?? "" });
    end = found.index + found[0].length;
  }
  if (end < text.length) spans.push({ type: "text", text: text.slice(end) });
  return spans;
}
