// Ids to text as they are sampled. A character whose bytes come in several tokens is held back until it is whole.
// Invariant: what `push` and `end` return, joined, is `decode` of all ids.
import type { Tokenizer } from "./tokenizer.ts";

export interface StreamDecoder {
  /** The text that has become certain with this id; often one token's, sometimes none. */
  push(id: number): string;
  /** What was held back: bytes that never became a character. */
  end(): string;
}

const replacement = "\uFFFD";
/** Kept in front of new ids: a split character has at most three bytes before its last, and decoders treat a first token in their own way. */
const contextTokens = 8;

export function createStreamDecoder(tokenizer: Tokenizer): StreamDecoder {
  let window: number[] = [];
  /** Characters of decode(window) that were returned already. */
  let returned = 0;
  return {
    push: (id) => {
      window.push(id);
      const text = tokenizer.decode(window);
      const certain = text.endsWith(replacement) ? text.length - 1 : text.length;
      const fresh = text.slice(returned, certain);
      returned = Math.max(returned, certain);
      if (window.length > 2 * contextTokens) {
        // The shorter window may decode to other text at its start, which was returned before; its end is the same.
        window = window.slice(-contextTokens);
        returned = tokenizer.decode(window).length - (text.length - certain);
      }
      return fresh;
    },
    end: () => {
      const held = tokenizer.decode(window).slice(returned);
      returned += held.length;
      return held;
    },
  };
}
