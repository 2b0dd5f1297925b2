// Llama 3: the reply is `{"name": ..., "parameters": {...}}`, after an optional <|python_tag|>; several are set apart by ";" or ",".
import type { ToolCallFormat } from "./format.ts";
import { scanObjects } from "./scan-objects.ts";

const tag = "<|python_tag|>";

export const llama3: ToolCallFormat = {
  name: "llama3-json",
  parse: (text) => {
    const leading = text.trimStart();
    const untagged = leading.startsWith(tag) ? leading.slice(tag.length) : text;
    const found = scanObjects(untagged, { lists: false, words: (text) => (/^[;,]$/.test(text) ? "" : text) });
    return found.calls.length === 0 ? { content: text, calls: [] } : found;
  },
};
