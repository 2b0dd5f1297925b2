// Hermes and Qwen: `<tool_call>{"name": ..., "arguments": {...}}</tool_call>`, any number of times, words around them kept.
// The end of a call is where its JSON ends, so a closing tag inside an argument does not cut it.
import type { TextWithCalls, ToolCallFormat, WrittenCall } from "./format.ts";
import { createValueReader, readCall, salvageCall, skipSpace } from "./written-json.ts";

const open = "<tool_call>";
const close = "</tool_call>";

export const hermes: ToolCallFormat = { name: "hermes", parse };

function parse(text: string): TextWithCalls {
  const calls: WrittenCall[] = [];
  const words: string[] = [];
  let kept = 0;
  const endOfValue = createValueReader(text);
  let at = text.indexOf(open);
  while (at >= 0) {
    const block = readBlock(text, at + open.length, endOfValue);
    if (block.call !== undefined) {
      words.push(text.slice(kept, at));
      calls.push(block.call);
      kept = block.end;
    }
    at = text.indexOf(open, block.end);
  }
  if (calls.length === 0) return { content: text, calls };
  words.push(text.slice(kept));
  return { content: joinWords(words), calls };
}

interface Block {
  readonly call: WrittenCall | undefined;
  /** After the closing tag, or where the next call or the text ends when there is none. */
  readonly end: number;
}

function readBlock(text: string, from: number, endOfValue: (at: number) => number | undefined): Block {
  const start = skipSpace(text, from);
  const jsonEnd = text[start] === "{" ? endOfValue(start) : undefined;
  const whole = jsonEnd === undefined ? undefined : readCall(text.slice(start, jsonEnd));
  const searchFrom = whole === undefined || jsonEnd === undefined ? start : jsonEnd;
  const closing = text.indexOf(close, searchFrom);
  const next = text.indexOf(open, searchFrom);
  const isClosed = closing >= 0 && (next < 0 || closing < next);
  const bodyEnd = isClosed ? closing : next < 0 ? text.length : next;
  const end = isClosed ? closing + close.length : whole === undefined || jsonEnd === undefined ? bodyEnd : jsonEnd;
  return { call: whole ?? salvageCall(text.slice(start, bodyEnd)), end };
}

/** What stood between calls, without the line breaks that set them apart. */
export function joinWords(words: readonly string[]): string {
  return words
    .map((word) => word.trim())
    .filter((word) => word !== "")
    .join("\n");
}
