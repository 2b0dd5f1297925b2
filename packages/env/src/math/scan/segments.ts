// The mathematics in a reply: $...$, $$...$$, \(...\), \[...\] and \boxed{...}, each found in one pass over the text.

export interface Segment {
  readonly start: number;
  readonly end: number;
  readonly content: string;
}

/** Delimited mathematics from left to right. $...$ stays on its line; a dollar sign after a digit or backslash is money. */
export function mathSegments(text: string): Segment[] {
  const segments: Segment[] = [];
  const closers = new Closers(text);
  for (let at = 0; at < text.length;) {
    const found = segmentAt(text, at, closers);
    if (typeof found === "number") at = found;
    else {
      segments.push(found);
      at = found.end;
    }
  }
  return segments;
}

/** The segment that begins here, or where to go on. */
function segmentAt(text: string, at: number, closers: Closers): Segment | number {
  const character = text[at];
  if (character === "\\") {
    const opener = text[at + 1];
    const closer = opener === "[" ? "\\]" : opener === "(" ? "\\)" : undefined;
    const end = closer === undefined ? -1 : closers.next(closer, at + 2);
    return closer === undefined || end === -1 ? at + 2 : { start: at, end: end + 2, content: text.slice(at + 2, end) };
  }
  if (character !== "$") return at + 1;
  if (text[at + 1] === "$") {
    const end = closers.next("$$", at + 2);
    return end === -1 ? at + 2 : { start: at, end: end + 2, content: text.slice(at + 2, end) };
  }
  let end = at + 1;
  while (end < text.length && text[end] !== "$" && text[end] !== "\n") end += text[end] === "\\" ? 2 : 1;
  if (text[end] !== "$" || end === at + 1) return Math.max(end, at + 1);
  return { start: at, end: end + 1, content: text.slice(at + 1, end) };
}

/** Finds closing marks; once there are none left it does not look again. */
class Closers {
  readonly #text: string;
  readonly #exhausted = new Set<string>();

  constructor(text: string) {
    this.#text = text;
  }

  next(mark: string, from: number): number {
    if (this.#exhausted.has(mark)) return -1;
    const at = this.#text.indexOf(mark, from);
    if (at === -1) this.#exhausted.add(mark);
    return at;
  }
}

/** The content of each closed \boxed{...} and \fbox{...} that lies in no other, from left to right. */
function boxedSegments(text: string): Segment[] {
  const opened: { readonly start: number; readonly inner: number }[] = [];
  const segments: Segment[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") {
      const box = boxAt(text, at);
      if (box === undefined) at++;
      else {
        opened.push({ start: at, inner: box });
        at = box - 1;
      }
    } else if (character === "{") opened.push({ start: -1, inner: at + 1 });
    else if (character === "}") {
      const open = opened.pop();
      if (open === undefined || open.start === -1) continue;
      while (segments.length > 0 && (segments.at(-1)?.start ?? -1) > open.start) segments.pop();
      segments.push({ start: open.start, end: at + 1, content: text.slice(open.inner, at) });
    }
  }
  return segments;
}

/** Where the content of the box begins whose command is here. */
function boxAt(text: string, at: number): number | undefined {
  const length = text.startsWith("\\boxed", at) ? 6 : text.startsWith("\\fbox", at) ? 5 : undefined;
  if (length === undefined) return undefined;
  let inner = at + length;
  while (text[inner] === " ") inner++;
  return text[inner] === "{" ? inner + 1 : undefined;
}

/** The last box, with those before it that belong to the same answer: close by, or joined by "and", "or", a comma. */
export function lastBoxes(text: string): Segment | undefined {
  const boxes = boxedSegments(text);
  const last = boxes.at(-1);
  if (last === undefined) return undefined;
  const contents = [last.content];
  let { start } = last;
  for (const box of boxes.slice(0, -1).toReversed()) {
    const gap = text.slice(box.end, start);
    const isJoined = gap.length < 70 && /\band\b|\bor\b|[,;]/.test(gap) && !contents.includes(box.content);
    if (gap.length >= 10 && !isJoined) break;
    contents.unshift(box.content);
    start = box.start;
  }
  return { start, end: last.end, content: contents.join(", ") };
}
