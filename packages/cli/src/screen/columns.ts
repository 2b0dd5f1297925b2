// Columns of text without lines around them. Widths are counted without colour codes, so that painted cells line up too.
import { stripVTControlCharacters } from "node:util";

export interface ColumnOptions {
  /** Before each line. */
  readonly indent?: string;
  /** Columns that are aligned to the right, by position. */
  readonly right?: readonly number[];
}

/** Two spaces between columns. The last cell of a row is not padded. */
export function columns(rows: readonly (readonly string[])[], { indent = "", right = [] }: ColumnOptions = {}): string {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) => Math.max(...rows.map((row) => widthOf(row[at] ?? ""))));
  const lines = rows.map((row) => {
    const cells = row.map((cell, at) => {
      const space = " ".repeat((widths[at] ?? 0) - widthOf(cell));
      return right.includes(at) ? space + cell : cell + space;
    });
    return `${indent}${cells.join("  ")}`.trimEnd();
  });
  return lines.map((line) => `${line}\n`).join("");
}

function widthOf(text: string): number {
  return Array.from(stripVTControlCharacters(text)).length;
}

/** Lines of at most `width` characters, broken at spaces. A word that is longer stands alone. */
export function wrap(text: string, width: number): string[] {
  return text.split("\n").flatMap((paragraph) => {
    const lines: string[] = [];
    let line = "";
    for (const word of paragraph.split(" ")) {
      if (line !== "" && line.length + 1 + word.length > width) {
        lines.push(line);
        line = word;
      } else line = line === "" ? word : `${line} ${word}`;
    }
    return [...lines, line];
  });
}
