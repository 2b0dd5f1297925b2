// The shipped tokenizer as the rest of Hone reads it. Its ids are part of the weights, so they are written out here.
import { createRenderer, loadTokenizer } from "@hone/tokens";
import fc from "fast-check";
import { expect, test } from "vitest";
import { tinyModelFolder } from "./index.ts";

const loaded = await loadTokenizer(tinyModelFolder);
const { tokenizer } = loaded;
const renderer = createRenderer(loaded);

test("every ASCII character is one token, and its id is its code", () => {
  const text = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join("");
  expect([...tokenizer.encode(`${text}\n`)]).toEqual([...text, "\n"].map((character) => character.charCodeAt(0)));
});

test.each([
  ["<|endoftext|>", 256],
  ["<|im_start|>", 257],
  ["<|im_end|>", 258],
  ["system\n", 259],
  ["user\n", 260],
  ["assistant\n", 261],
  ["<think>", 262],
  ["</think>", 263],
  ["<tool_call>", 264],
  ["</tool_call>", 265],
  ["<tool_response>", 266],
  ["</tool_response>", 267],
  ['{"name": "', 268],
  ['", "arguments": {"', 269],
  ["\\boxed{", 270],
  ["<reversed_text>", 271],
  ["</reversed_text>", 272],
  ["<alphabetical_sorted>", 273],
  ["</alphabetical_sorted>", 274],
  ["<combined_alphabetical_sorted>", 275],
  ["</combined_alphabetical_sorted>", 276],
])("%j is token %i", (marker, id) => {
  expect([...tokenizer.encode(marker, { control: true })]).toEqual([id]);
  expect(tokenizer.vocabularySize).toBe(288);
});

test("any text comes back as it was", () => {
  const pieces = fc.constantFrom("\\boxed{", "user\n", "<tool_call>", '{"name": "', "é", "\n", "<|im_end|>");
  const text = fc.array(fc.oneof(fc.string({ unit: "grapheme" }), pieces)).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (text) => {
      expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
    }),
  );
});

const tools = [
  {
    name: "calculator",
    description: "exact result of + - * ( )",
    parameters: { type: "object", properties: { expression: { type: "string" } } },
  },
];
const conversation = [
  { role: "user", content: "Calculate 12 + 13. Put the answer in \\boxed{}." },
  {
    role: "assistant",
    content: "",
    toolCalls: [{ id: "call", name: "calculator", arguments: '{"expression": "12 + 13"}' }],
  },
  { role: "tool", toolCallId: "call", content: "25" },
  { role: "assistant", content: "\\boxed{25}" },
] as const;

test("a conversation with a tool is written in few tokens", () => {
  const { ids } = renderer.render(conversation, { tools });
  expect(tokenizer.decode(ids)).toBe(
    "<|im_start|>system\nTools:\ncalculator(expression): exact result of + - * ( )<|im_end|>\n" +
      "<|im_start|>user\nCalculate 12 + 13. Put the answer in \\boxed{}.<|im_end|>\n" +
      '<|im_start|>assistant\n<tool_call>\n{"name": "calculator", "arguments": {"expression": "12 + 13"}}\n</tool_call><|im_end|>\n' +
      "<|im_start|>user\n<tool_response>\n25\n</tool_response><|im_end|>\n" +
      "<|im_start|>assistant\n\\boxed{25}<|im_end|>\n",
  );
  expect(ids.length).toBeLessThan(170);
});

test("a reply that was sampled is read back, and the conversation goes on after it without being tokenised again", () => {
  const prompt = renderer.render(conversation.slice(0, 1), { tools });
  const whole = renderer.render(conversation, { tools });
  const { reply } = renderer.spans(conversation, { tools })[1] ?? {};
  const sampled = whole.ids.subarray(reply?.start, reply?.end);
  expect(renderer.parse(sampled, { prompt: prompt.ids })).toMatchObject({
    finish: "tool-calls",
    message: { toolCalls: [{ name: "calculator", arguments: '{"expression": "12 + 13"}' }] },
  });
  const seen = { ids: Int32Array.from([...prompt.ids, ...sampled]), messages: 2 };
  const extended = renderer.extend(seen, conversation.slice(0, 3), { tools });
  expect(extended.how).toBe("extended");
  expect([...extended.ids]).toEqual([...whole.ids.subarray(0, extended.ids.length)]);
});
