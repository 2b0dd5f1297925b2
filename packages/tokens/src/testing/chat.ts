// Small conversations over byte tokens, for tests that read better with few letters.
import type { Message } from "@hone/core";
import { chatmlTemplate, createChatTemplate } from "../chat-template.ts";
import { createRenderer, type Renderer } from "../renderer.ts";
import { createByteTokenizer } from "../tokenizer.ts";

export const tokenizer = createByteTokenizer([
  "<|im_start|>",
  "<|im_end|>",
  "<|endoftext|>",
  "</s>",
  "[INST]",
  "[/INST]",
]);

export function id(token: string): number {
  return tokenizer.id(token) ?? -1;
}

/** Ids of text that may use control tokens, as a sampler would return them. */
export function sampled(text: string): Int32Array {
  return tokenizer.encode(text, { control: true });
}

export function rendererOf(source: string, more: { readonly stopTokens?: readonly number[] } = {}): Renderer {
  return createRenderer({ tokenizer, template: createChatTemplate(source), ...more });
}
export const chatml: Renderer = rendererOf(chatmlTemplate, { stopTokens: [id("<|endoftext|>")] });

export function user(content: string): Message {
  return { role: "user", content };
}
export function reply(content: string): Message {
  return { role: "assistant", content };
}
export function calling(...names: readonly string[]): Message {
  const toolCalls = names.map((name, index) => ({ id: `call${index}`, name, arguments: "{}" }));
  return { role: "assistant", content: "", toolCalls };
}
export function result(index: number, content: string): Message {
  return { role: "tool", toolCallId: `call${index}`, content };
}
