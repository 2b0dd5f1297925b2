// What a model wrote, as pieces that are safe to show: plain text, and characters that would hide or reorder text, which are shown by their code.
// Nothing here makes HTML; React puts each piece into a text node.

export interface TextPiece {
  readonly text: string;
  /** Set for a character that cannot be seen: its name or code. */
  readonly hidden?: string;
}

/** Controls except tab and newline; format characters (directions, zero width, tags); line and paragraph separators; lone surrogates. */
const unseen = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const names: Readonly<Record<number, string>> = {
  0x00: "NUL",
  0x07: "BEL",
  0x08: "BS",
  0x0d: "CR",
  0x1b: "ESC",
  0x200b: "ZWSP",
  0x200c: "ZWNJ",
  0x200d: "ZWJ",
  0x200e: "LRM",
  0x200f: "RLM",
  0x202a: "LRE",
  0x202b: "RLE",
  0x202c: "PDF",
  0x202d: "LRO",
  0x202e: "RLO",
  0x2066: "LRI",
  0x2067: "RLI",
  0x2068: "FSI",
  0x2069: "PDI",
  0xfeff: "BOM",
};

export function toPieces(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const found of text.matchAll(unseen)) {
    // A joiner between two pictographs is part of one picture.
    if (found[0] === "\u200D" && isPictograph(text, found.index)) continue;
    if (found.index > end) pieces.push({ text: text.slice(end, found.index) });
    const code = found[0].codePointAt(0) ?? 0;
    pieces.push({ text: found[0], hidden: names[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}` });
    end = found.index + found[0].length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

/** The text in blocks of at most so many characters, cut after a line where there is one. No character is torn apart. */
export function toBlocks(text: string, most: number): readonly string[] {
  const blocks: string[] = [];
  for (let start = 0; start < text.length || blocks.length === 0;) {
    let end = Math.min(text.length, start + most);
    if (end < text.length) {
      const line = text.lastIndexOf("\n", end - 1) + 1;
      if (line > start + most / 2) end = line;
      else if (/[\uD800-\uDBFF]/.test(text[end - 1] ?? "")) end--;
    }
    blocks.push(text.slice(start, end));
    if (end === text.length) break;
    start = end;
  }
  return blocks;
}

function isPictograph(text: string, at: number): boolean {
  const [before, after] = [text.slice(Math.max(0, at - 4), at), text.slice(at + 1, at + 4)];
  return /\p{Extended_Pictographic}\uFE0F?$/u.test(before) && /^\p{Extended_Pictographic}/u.test(after);
}

/** An image that the page may show: its bytes are in the address, and the kind is one that cannot run anything. */
export function isInlineImage(url: string): boolean {
  return /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/.test(url);
}
