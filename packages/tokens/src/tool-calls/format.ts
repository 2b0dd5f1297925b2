// How a model writes tool calls into its text. A format reads them back; reading is total and loses no words.
import { hermes } from "./hermes.ts";
import { llama3 } from "./llama3.ts";
import { plainJson } from "./plain-json.ts";

export type ToolCallFormatName = "hermes" | "llama3-json" | "json" | "none";

export interface ToolCallFormat {
  readonly name: ToolCallFormatName;
  /** Never throws. Text that is no call comes back as content; without any call it comes back unchanged. */
  parse(text: string): TextWithCalls;
}

export interface TextWithCalls {
  readonly content: string;
  readonly calls: readonly WrittenCall[];
}

export interface WrittenCall {
  readonly name: string;
  /** As the model wrote it; malformed when the model wrote it so. */
  readonly arguments: string;
}

const none: ToolCallFormat = { name: "none", parse: (text) => ({ content: text, calls: [] }) };

export function toolCallFormat(name: ToolCallFormatName): ToolCallFormat {
  switch (name) {
    case "hermes":
      return hermes;
    case "llama3-json":
      return llama3;
    case "json":
      return plainJson;
    case "none":
      return none;
  }
}

/** From the words of the chat template, which shows the model how to write a call. */
export function detectToolCallFormat(templateSource: string): ToolCallFormatName {
  const has = (text: string): boolean => templateSource.includes(text);
  if (has("<tool_call>")) return has("<function=") ? "none" : "hermes";
  if (has("<|python_tag|>") || (has("<|start_header_id|>") && has('"parameters"'))) return "llama3-json";
  return /\btools\b/.test(templateSource) ? "json" : "none";
}
