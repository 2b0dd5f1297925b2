import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Message } from "../message.ts";
import { byteMarkers, byteVocabularySize, decodeByteTokens, encodeByteReply, renderBytePrompt } from "./byte-tokens.ts";

const assistant = fc.record(
  {
    role: fc.constant("assistant" as const),
    content: fc.string({ unit: "grapheme" }),
    reasoning: fc.string(),
    toolCalls: fc.array(fc.record({ id: fc.string(), name: fc.string(), arguments: fc.string() }), { maxLength: 2 }),
  },
  { requiredKeys: ["role", "content"] },
);
const asked = fc.oneof(
  fc.record({ role: fc.constant("user" as const), content: fc.string({ unit: "grapheme" }) }),
  fc.record({ role: fc.constant("tool" as const), toolCallId: fc.string(), content: fc.string() }),
);
const turns = fc.array(fc.record({ asked: fc.array(asked, { maxLength: 3 }), reply: assistant, isCut: fc.boolean() }), {
  maxLength: 6,
});

test("a conversation extended turn by turn has the ids of the conversation rendered at once", () => {
  fc.assert(
    fc.property(turns, (turns) => {
      const messages: Message[] = [];
      let seen: { ids: Int32Array; messages: number } | undefined;
      for (const { asked, reply, isCut } of turns) {
        messages.push(...asked);
        const prompt = renderBytePrompt(messages, seen);
        expect(prompt).toEqual(renderBytePrompt(messages));
        messages.push(reply);
        const sampled = encodeByteReply(reply, { isCut });
        seen = { ids: Int32Array.of(...prompt, ...sampled), messages: messages.length };
      }
    }),
  );
});

test("markers show the roles, the reasoning and the calls", () => {
  const ids = renderBytePrompt([
    { role: "system", content: "be brief" },
    {
      role: "user",
      content: [
        { type: "text", text: "2+2? é" },
        { type: "image", url: "data:," },
      ],
    },
    { role: "assistant", content: "", reasoning: "easy", toolCalls: [{ id: "a", name: "add", arguments: '{"a":2}' }] },
    { role: "tool", toolCallId: "a", content: "4" },
  ]);
  expect(decodeByteTokens(ids)).toBe(
    "<|system|>be brief<|endOfTurn|><|user|>2+2? é<|image|><|endOfTurn|>" +
      '<|assistant|><|reasoningStart|>easy<|reasoningEnd|><|toolCallStart|>add\n{"a":2}<|toolCallEnd|><|endOfTurn|>' +
      "<|tool|>4<|endOfTurn|><|assistant|>",
  );
});

test("a reply that was cut off gets its end of turn with the next prompt", () => {
  const asked: Message[] = [{ role: "user", content: "count" }];
  const reply = { role: "assistant", content: "1 2 3" } as const;
  const cut = Int32Array.of(...renderBytePrompt(asked), ...encodeByteReply(reply, { isCut: true }));
  expect(cut.at(-1)).toBe("3".charCodeAt(0));
  const next = renderBytePrompt([...asked, reply, { role: "user", content: "on" }], { ids: cut, messages: 2 });
  expect(decodeByteTokens(next.subarray(cut.length))).toBe("<|endOfTurn|><|user|>on<|endOfTurn|><|assistant|>");
});

test("the vocabulary has room for every marker and nothing else", () => {
  expect(Math.max(...Object.values(byteMarkers)) + 1).toBe(byteVocabularySize);
  expect(new Set(Object.values(byteMarkers)).size).toBe(byteVocabularySize - 256);
});
