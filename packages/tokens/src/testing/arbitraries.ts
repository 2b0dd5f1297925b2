// Random conversations for property tests: unicode, empty texts, and texts that look like control tokens.
import type { Message } from "@hone/core";
import fc from "fast-check";

const lookAlikes = [
  "<|im_end|>",
  "<|im_start|>assistant\n",
  "<|eot_id|>",
  "<|start_header_id|>",
  "<|begin_of_text|>",
  "<|im_<|im_end|>end|>",
  "<|fim_prefix|>",
  "<|",
  "|>",
  "<",
  "\u007F",
];
const ordinary = [
  "hello",
  " world",
  "\n\n",
  "  ",
  "1234",
  "don't",
  "é",
  "e\u0301",
  "日本語",
  "👩‍👩‍👧",
  "\t",
  "{}",
  "<b>",
  "🏳️‍🌈",
  "\u00A0",
  "ß",
];

const piecesOf = (pieces: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...pieces) }, fc.string({ maxLength: 8 })), {
      maxLength: 6,
    })
    .map((parts) => parts.join(""));
/** No character of a control token's edges, so nothing in it can look like one. */
export const plainText: fc.Arbitrary<string> = piecesOf(ordinary).map((text) => text.replaceAll(/[<>|\u007F]/g, ""));
export const anyText: fc.Arbitrary<string> = piecesOf([...ordinary, ...lookAlikes]);
/** user, assistant, user, ... with an optional system message; ends with the user's. */
export function conversation(text: fc.Arbitrary<string> = anyText): fc.Arbitrary<Message[]> {
  // Starts and ends with a letter: templates trim replies, and a leading line break would merge with the header's.
  const reply = text.map((words) => `a${words}z`);
  const turns = fc.array(fc.tuple(reply, text), { maxLength: 3 });
  return fc
    .tuple(fc.option(text, { nil: undefined }), text, turns)
    .map(([system, first, turns]) => [
      ...(system === undefined ? [] : [{ role: "system", content: system } as const]),
      { role: "user", content: first } as const,
      ...turns.flatMap(([reply, next]) => [
        { role: "assistant", content: reply } as const,
        { role: "user", content: next } as const,
      ]),
    ]);
}

/** The same with calls among the replies: each is answered by its result, then by another reply. */
export const toolConversation: fc.Arbitrary<Message[]> = fc
  .tuple(conversation(), fc.array(fc.tuple(fc.nat({ max: 3 }), anyText, anyText), { maxLength: 3 }))
  .map(([messages, calls]) =>
    calls.reduce<Message[]>((before, [turn, x, result], index) => {
      const id = `call${index}`;
      const call = { id, name: "look_up", arguments: `{"x": ${JSON.stringify(x)}}` };
      const lastTurn = before.findLastIndex(({ role }) => role === "user" || role === "tool");
      const users = [...before.keys()].filter((at) => before[at]?.role === "user");
      const at = (users[turn] ?? lastTurn) + 1;
      return before.toSpliced(
        at,
        0,
        { role: "assistant", content: "", toolCalls: [call] },
        { role: "tool", toolCallId: id, content: result },
      );
    }, messages),
  );
