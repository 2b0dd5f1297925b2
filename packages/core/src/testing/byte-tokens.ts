// A token format without a tokenizer: ids 0 to 255 are UTF-8 bytes, the ids after them mark the structure of a conversation.
// Invariant: it extends. Rendering a conversation turn by turn onto what was seen gives the ids of rendering it at once.
import { type AssistantMessage, type Content, type Message, textOf } from "../message.ts";
import type { SeenTokens } from "../model.ts";

/** The ids that are no bytes. A message is its start marker, its text, `endOfTurn`. */
export const byteMarkers = {
  system: 256,
  user: 257,
  assistant: 258,
  tool: 259,
  endOfTurn: 260,
  toolCallStart: 261,
  toolCallEnd: 262,
  reasoningStart: 263,
  reasoningEnd: 264,
  image: 265,
} as const;
export const byteVocabularySize = 266;

type Piece = number | Uint8Array;
const encoder = new TextEncoder();
const newline = 10;

/**
 * What a policy that speaks this format sees before it replies: `seen` as it is, the messages after it, the start of a reply.
 * A reply that was cut off has no end of turn; it gets one here.
 */
export function renderBytePrompt(messages: readonly Message[], seen?: SeenTokens): Int32Array {
  const pieces: Piece[] = [];
  const before = seen?.ids ?? new Int32Array();
  if (before.length > 0 && before[before.length - 1] !== byteMarkers.endOfTurn) pieces.push(byteMarkers.endOfTurn);
  for (let index = seen?.messages ?? 0; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined) continue;
    pieces.push(byteMarkers[message.role]);
    if (message.role === "assistant") pushReply(pieces, message);
    else pushContent(pieces, message.content);
    pieces.push(byteMarkers.endOfTurn);
  }
  pieces.push(byteMarkers.assistant);
  return join(before, pieces);
}

/** What the policy samples for this reply: everything after the start of it, with the end of turn unless it was cut off. */
export function encodeByteReply(message: AssistantMessage, options: { readonly isCut: boolean }): Int32Array {
  const pieces: Piece[] = [];
  pushReply(pieces, message);
  if (!options.isCut) pieces.push(byteMarkers.endOfTurn);
  return join(new Int32Array(), pieces);
}

/** For people: the text, with markers as `<|user|>`. */
export function decodeByteTokens(ids: Int32Array): string {
  const names = new Map<number, string>(Object.entries(byteMarkers).map(([name, id]) => [id, name]));
  const decoder = new TextDecoder();
  let text = "";
  let start = 0;
  for (let index = 0; index <= ids.length; index++) {
    const id = ids[index];
    if (id !== undefined && id < 256) continue;
    text += decoder.decode(Uint8Array.from(ids.subarray(start, index)));
    if (id !== undefined) text += `<|${names.get(id) ?? id}|>`;
    start = index + 1;
  }
  return text;
}

function pushReply(pieces: Piece[], { content, reasoning, toolCalls }: AssistantMessage): void {
  if (reasoning !== undefined) {
    pieces.push(byteMarkers.reasoningStart, encoder.encode(reasoning), byteMarkers.reasoningEnd);
  }
  pieces.push(encoder.encode(content));
  for (const call of toolCalls ?? []) {
    pieces.push(byteMarkers.toolCallStart, encoder.encode(call.name), newline, encoder.encode(call.arguments));
    pieces.push(byteMarkers.toolCallEnd);
  }
}

function pushContent(pieces: Piece[], content: Content): void {
  pieces.push(encoder.encode(textOf(content)));
  if (typeof content !== "string") {
    for (const part of content) if (part.type === "image") pieces.push(byteMarkers.image);
  }
}

function join(before: Int32Array, pieces: readonly Piece[]): Int32Array {
  let length = before.length;
  for (const piece of pieces) length += typeof piece === "number" ? 1 : piece.length;
  const ids = new Int32Array(length);
  ids.set(before);
  let at = before.length;
  for (const piece of pieces) {
    if (typeof piece === "number") ids[at++] = piece;
    else {
      ids.set(piece, at);
      at += piece.length;
    }
  }
  return ids;
}
