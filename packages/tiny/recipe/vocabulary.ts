// The tokens of hone/tiny: 256 bytes, so that any text round-trips and every ASCII character is one token, and then whole markers.
// Ids are positions: byte b has id b, token i of `added` has id 256 + i. The order is part of the shipped weights; only append, in place
// of a reserved one.

/** Control: never read from what somebody wrote. */
const control = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];
/** Words of a format, also read from plain text. */
const words = [
  "system\n",
  "user\n",
  "assistant\n",
  "<think>",
  "</think>",
  "<tool_call>",
  "</tool_call>",
  "<tool_response>",
  "</tool_response>",
  '{"name": "',
  '", "arguments": {"',
  "\\boxed{",
  "<reversed_text>",
  "</reversed_text>",
  "<alphabetical_sorted>",
  "</alphabetical_sorted>",
  "<combined_alphabetical_sorted>",
  "</combined_alphabetical_sorted>",
];
export const vocabularySize = 288;
const reserved = Array.from(
  { length: vocabularySize - 256 - control.length - words.length },
  (_, index) => `<|reserved_${index}|>`,
);

interface Added {
  readonly id: number;
  readonly content: string;
  readonly special: boolean;
}

export const added: readonly Added[] = [...control, ...words, ...reserved].map((content, index) => ({
  id: 256 + index,
  content,
  special: content.startsWith("<|"),
}));

export function idOf(content: string): number {
  const found = added.find((token) => token.content === content);
  if (found === undefined) throw new Error(`${content} is no token of its own`);
  return found.id;
}

/** Byte-level vocabularies write a byte as a printable character: itself where it is one, else the next from U+0100. */
export function byteCharacters(): Record<string, number> {
  const characters: Record<string, number> = {};
  let next = 256;
  for (let byte = 0; byte < 256; byte++) {
    const isPrintable = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    characters[String.fromCharCode(isPrintable ? byte : next++)] = byte;
  }
  return characters;
}
