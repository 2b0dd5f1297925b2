// Conversation to text to ids, with nobody's words read as control tokens. Renderer, bridge and spans all write through this.
// Invariant: `encode` of what `write` returns holds a control token only where the template itself put one.
import type { Message } from "@hone/core";
import { escapePattern } from "./added-tokens.ts";
import { type ChatTemplate, checkImages } from "./chat-template.ts";
import { createEscape } from "./escape.ts";
import { type RenderOptions, templateVariables } from "./template-variables.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** Rendered text. Where `guard` is set, that character in `text` is no text: it is dropped on encoding. */
export interface Written {
  readonly text: string;
  readonly guard: string | undefined;
}

export interface GuardedTemplate {
  /** With the guard of another text when the two are compared; it must be absent from these messages. */
  write(messages: readonly Message[], options: RenderOptions, guard?: string): Written;
  encode(written: Written): Int32Array;
  /** Ids of text that follows other tokens: without what a tokenizer does at the start of a text only. */
  encodeAfter(written: Written): Int32Array;
  /** The control tokens in the text, in order, with their positions. */
  controls(written: Written): readonly ControlAt[];
}

export interface ControlAt {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

export function createGuardedTemplate(tokenizer: Tokenizer, template: ChatTemplate): GuardedTemplate {
  const { controlTokens } = tokenizer;
  const escape = createEscape(controlTokens.keys());
  const [anyControl] = controlTokens.keys();
  const longestFirst = [...controlTokens.keys()].sort((a, b) => b.length - a.length);
  const pattern = longestFirst.length === 0 ? /(?!)/gu : new RegExp(longestFirst.map(escapePattern).join("|"), "gu");
  const encode = ({ text, guard }: Written): Int32Array =>
    tokenizer.encode(text, { control: true, ...(guard === undefined ? {} : { guard }) });
  return {
    write: (messages, options, guard) => {
      checkImages(template, messages);
      const variables = templateVariables(messages, options);
      const chosen = guard ?? escape.choose(variables, template.source);
      const guarded = chosen === undefined ? variables : escape.apply(variables, chosen);
      return { text: template.run(guarded, options.now), guard: chosen };
    },
    encode,
    encodeAfter: (written) => {
      if (anyControl === undefined || written.text.search(pattern) === 0) return encode(written);
      return encode({ ...written, text: anyControl + written.text }).subarray(1);
    },
    controls: ({ text }) =>
      [...text.matchAll(pattern)].map(({ 0: token, index: start }) => ({
        id: controlTokens.get(token) ?? -1,
        start,
        end: start + token.length,
      })),
  };
}
