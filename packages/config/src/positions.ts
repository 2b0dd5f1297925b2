// Offsets in a text to places: line, column in characters, the source line. The parser counts UTF-16 units; people do not.
import type { Place } from "@hone/core";
import { hideSecrets } from "./secret.ts";

export interface Positions {
  /** The line that holds this offset, from 0. */
  lineAt(offset: number): number;
  /** Offset of the first character of a line. */
  startOf(line: number): number;
  textOf(line: number): string;
  placeAt(offset: number): Place;
  readonly lineCount: number;
}

export function positionsOf(text: string, file: string): Positions {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const startOf = (line: number): number => starts[line] ?? text.length;
  const textOf = (line: number): string => text.slice(startOf(line), startOf(line + 1)).replace(/\r?\n$/, "");
  const lineAt = (offset: number): number => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (startOf(middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const placeAt = (offset: number): Place => {
    const line = lineAt(offset);
    const column = Array.from(text.slice(startOf(line), offset)).length + 1;
    return { file, line: line + 1, column, text: hideSecrets(textOf(line)) };
  };
  return { lineAt, startOf, textOf, placeAt, lineCount: starts.length };
}
