// Calls written as bare JSON: objects with a name and arguments, wherever they stand in a reply.
// Ordinary JSON in an answer is no call, because a call needs both keys.
import type { TextWithCalls, WrittenCall } from "./format.ts";
import { joinWords } from "./hermes.ts";
import { createValueReader, readCall, salvageCall } from "./written-json.ts";

export interface ScanOptions {
  /** Also lists of calls. */
  readonly lists: boolean;
  /** Takes from the words between calls (trimmed) what belongs to the calls: separators, fences. */
  readonly words: (text: string) => string;
}

export function scanObjects(text: string, options: ScanOptions): TextWithCalls {
  const calls: WrittenCall[] = [];
  const words: string[] = [];
  const endOfValue = createValueReader(text);
  const bracket = options.lists ? /[{[]/g : /\{/g;
  let kept = 0;
  for (let match = bracket.exec(text); match !== null; match = bracket.exec(text)) {
    const end = endOfValue(match.index);
    const found = end === undefined ? [] : callsIn(text.slice(match.index, end));
    if (end === undefined || found.length === 0) continue;
    words.push(text.slice(kept, match.index));
    calls.push(...found);
    kept = end;
    bracket.lastIndex = end;
  }
  if (calls.length === 0) return salvageWhole(text);
  words.push(text.slice(kept));
  return { content: joinWords(words.map((word) => options.words(word.trim()))), calls };
}

/** A reply that is one broken object and nothing else is a call that went wrong. */
function salvageWhole(text: string): TextWithCalls {
  const call = text.trimStart().startsWith("{") ? salvageCall(text, true) : undefined;
  return call === undefined ? { content: text, calls: [] } : { content: "", calls: [call] };
}

function callsIn(source: string): readonly WrittenCall[] {
  if (source.startsWith("{")) {
    const call = readCall(source, true);
    return call === undefined ? [] : [call];
  }
  const endOfValue = createValueReader(source);
  const calls: WrittenCall[] = [];
  for (let at = source.indexOf("{"); at >= 0;) {
    const end = endOfValue(at);
    const call = end === undefined ? undefined : readCall(source.slice(at, end), true);
    if (end === undefined || call === undefined) return [];
    calls.push(call);
    at = source.indexOf("{", end);
  }
  return calls;
}
