import type { Message } from "@hone/core";
import { chatmlTemplate, createByteTokenizer, createChatTemplate, createRenderer } from "@hone/tokens";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Conversation } from "./conversation.ts";
import { parseConversation } from "./conversation.ts";
import { toyRenderer, toyTokenizer } from "./testing/toy-sft.ts";
import { tokenise, type TrainOn } from "./tokenise.ts";

/** The text with what is trained in brackets. */
function marked(conversation: Conversation, trainOn: TrainOn = "all", renderer = toyRenderer): string {
  const { tokens, trained } = tokenise(conversation, renderer, trainOn);
  let text = "";
  for (let start = 0; start < tokens.length;) {
    let end = start;
    while (end < tokens.length && trained[end] === trained[start]) end++;
    const part = toyTokenizer.decode(tokens.subarray(start, end));
    text += trained[start] === 1 ? `[${part}]` : part;
    start = end;
  }
  return text;
}

const call = '<tool_call>\n{"name": "add", "arguments": {"x": 2}}\n</tool_call>';
const withTools = parseConversation({
  messages: [
    { role: "system", content: "Add." },
    { role: "user", content: "2?" },
    { role: "assistant", content: "", tool_calls: [{ id: "a", function: { name: "add", arguments: '{"x": 2}' } }] },
    { role: "tool", tool_call_id: "a", content: "4" },
    { role: "assistant", content: "It is 4." },
    { role: "user", content: "ok" },
  ],
});

describe("of a conversation with tools", () => {
  const before = `<|im_start|>system\nAdd.<|im_end|>\n<|im_start|>user\n2?<|im_end|>\n<|im_start|>assistant\n`;
  const between = `\n<|im_start|>tool\n4<|im_end|>\n<|im_start|>assistant\n`;

  test("replies and the tokens that end them are trained, headers and other people's words are not", () => {
    expect(marked(withTools)).toBe(`${before}[${call}<|im_end|>]${between}[It is 4.<|im_end|>]`);
  });

  test("only the last reply is trained when it says so", () => {
    expect(marked(withTools, "last")).toBe(`${before}${call}<|im_end|>${between}[It is 4.<|im_end|>]`);
  });
});

test("what looks like a control token in somebody's words is no end of a reply", () => {
  const conversation = parseConversation({ prompt: "say <|im_end|>", completion: "<|im_end|> said" });
  const { tokens, trained } = tokenise(conversation, toyRenderer, "all");
  const stop = toyTokenizer.id("<|im_end|>");
  expect([...tokens].filter((id, at) => id === stop && trained[at] === 1)).toEqual([stop]);
  expect(trained.reduce((sum, one) => sum + one, 0)).toBe("<|im_end|> said".length + 1);
});

test("where a later turn rewrites earlier ones, what is there is still trained exactly", () => {
  // Like Qwen3's: reasoning is shown in the last turn only, so no prompt of an earlier turn is how the conversation begins.
  const template = chatmlTemplate.replace(
    "{%- if message.reasoning_content %}",
    "{%- if message.reasoning_content and loop.last %}",
  );
  const renderer = createRenderer({ tokenizer: toyTokenizer, template: createChatTemplate(template) });
  const reply = (content: string): object => ({ role: "assistant", content, reasoning: "hm" });
  const turn = { role: "user", content: "q" };
  const conversation = parseConversation({ messages: [turn, reply("a"), turn, reply("b"), turn, reply("c")] });
  const opened = "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n";
  expect(marked(conversation, "all", renderer)).toBe(
    [`${opened}[a<|im_end|>]\n`, `${opened}[b<|im_end|>]\n`, `${opened}[<think>\nhm\n</think>\n\nc<|im_end|>]`].join(
      "",
    ),
  );
});

const turn = fc.constantFrom<Message["role"]>("user", "assistant");
const conversations = fc
  .array(fc.tuple(turn, fc.string({ minLength: 1, maxLength: 12 })), { minLength: 1, maxLength: 9 })
  .map((turns) => [...turns, ["assistant", "end"] as const])
  .map((turns) => ({ messages: turns.map(([role, content]) => ({ role, content })) }));

test("every byte of every reply and its end are trained, once, and nothing else", () => {
  const stop = toyTokenizer.id("<|im_end|>") ?? -1;
  fc.assert(
    fc.property(conversations, ({ messages }) => {
      const { tokens, trained } = tokenise(parseConversation({ messages }), toyRenderer, "all");
      const expected = messages.flatMap(({ role, content }) =>
        role === "assistant" ? [...toyTokenizer.encode(content), stop] : [],
      );
      expect([...tokens].filter((_id, at) => trained[at] === 1)).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test("many replies and few are told apart in the same way", () => {
  const messages = Array.from({ length: 12 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `say ${index}`,
  }));
  const whole = tokenise(parseConversation({ messages }), toyRenderer, "all");
  const start = tokenise(parseConversation({ messages: messages.slice(0, 6) }), toyRenderer, "all");
  expect(whole.tokens.slice(0, start.tokens.length)).toEqual(start.tokens);
  expect(whole.trained.slice(0, start.trained.length)).toEqual(start.trained);
});

test("a template that opens no turn and says nothing about whose words are whose is refused", () => {
  const tokenizer = createByteTokenizer(["<s>"]);
  const renderer = createRenderer({
    tokenizer,
    template: createChatTemplate("{% for m in messages %}{{ m.content }}{% endfor %}"),
    stopTokens: [tokenizer.id("<s>") ?? -1],
  });
  expect(() => tokenise(parseConversation({ prompt: "a", completion: "b" }), renderer, "all")).toThrow("chat template");
});
