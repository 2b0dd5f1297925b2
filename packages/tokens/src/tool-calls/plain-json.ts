// Plain JSON: objects with "name" and "arguments" (or "parameters"), alone, in a list or in a code fence.
import type { ToolCallFormat } from "./format.ts";
import { scanObjects } from "./scan-objects.ts";

export const plainJson: ToolCallFormat = {
  name: "json",
  parse: (text) => scanObjects(text, { lists: true, words: (words) => (/^[;,]$/.test(words) ? "" : unfence(words)) }),
};

function unfence(words: string): string {
  return words.replace(/```(?:json)?$/, "").replace(/^```/, "");
}
