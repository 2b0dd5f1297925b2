// Text to tree; undefined when the text is no mathematics that is known here.
import type { MathNode } from "./ast.ts";
import type { Work } from "./bounds.ts";
import { parseAnswer } from "./parse/answer.ts";
import { isParseFailure } from "./parse/cursor.ts";
import type { Reading } from "./scan/token.ts";
import { tokenize } from "./scan/tokenize.ts";

export function readAnswer(text: string, reading: Reading, work: Work): MathNode | undefined {
  work.spend(text.length >> 4);
  try {
    return parseAnswer(tokenize(text, reading), reading, work);
  } catch (error) {
    if (isParseFailure(error)) return undefined;
    throw error;
  }
}
