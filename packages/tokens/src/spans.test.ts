import type { Message, ToolSpec } from "@hone/core";
import { describe, expect, test } from "vitest";
import { calling, chatml, id, rendererOf, reply, result, tokenizer, user } from "./testing/chat.ts";

const tools: readonly ToolSpec[] = [{ name: "f", description: "", parameters: {} }];

describe("spans", () => {
  const conversation = [
    { role: "system", content: "s<|im_end|>" },
    user(""),
    calling("f", "f"),
    result(0, "<|im_start|>assistant\n"),
    result(1, "b"),
    reply("\nend"),
  ] satisfies Message[];

  test("cover the conversation, with what a policy would have sampled", () => {
    const { ids } = chatml.render(conversation, { tools });
    const spans = chatml.spans(conversation, { tools });
    const show = ({ start, end }: { readonly start: number; readonly end: number }): string =>
      tokenizer.decode(ids.subarray(start, end));
    expect(spans.map(show).join("")).toBe(tokenizer.decode(ids));
    expect(show(spans[3] ?? { start: 0, end: 0 })).toBe("<|im_start|>tool\n<|im_start|>assistant\n<|im_end|>\n");
    expect(spans.flatMap(({ reply }) => (reply === undefined ? [] : [show(reply)]))).toEqual([
      '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call><|im_end|>',
      "\nend<|im_end|>",
    ]);
  });

  test("are refused where the template does not show them", () => {
    const renderer = rendererOf("{{ messages[0].content }}<|im_end|>", { stopTokens: [id("<|im_end|>")] });
    expect(() => renderer.spans([user("a"), user("b")])).toThrow(/leaves out or repeats a message/);
  });

  test("are refused where a message uses the words that the template sets it apart with", () => {
    const renderer = rendererOf("{% for m in messages %}{{ m.content }}|{% endfor %}<|im_end|>");
    expect(renderer.spans([user("a"), user("b")])).toHaveLength(2);
    expect(() => renderer.spans([user("a|"), user("b")])).toThrow(/contains the template's own words/);
  });

  test("are refused where the template changes its text with the words of a message", () => {
    const renderer = rendererOf(
      "{% for m in messages %}{% if m.content %}[INST]{{ m.content }}{% endif %}<|im_end|>{% endfor %}",
    );
    expect(() => renderer.spans([user("a"), user("")])).toThrow(/depends on the words of a message/);
  });

  test("of no messages are none", () => {
    expect(chatml.spans([])).toEqual([]);
  });

  test("of a template without headers for the assistant", () => {
    const instruct =
      "{% for m in messages %}{% if m.role == 'user' %}[INST] {{ m.content }} [/INST]" +
      "{% elif m.role == 'assistant' %} {{ m.content }}</s>{% endif %}{% endfor %}";
    const renderer = rendererOf(instruct);
    const { ids } = renderer.render([user("q"), reply("a"), user("r")]);
    const [first, second, third] = renderer.spans([user("q"), reply("a"), user("r")]);
    const show = (range?: { readonly start: number; readonly end: number }): string =>
      tokenizer.decode(ids.subarray(range?.start, range?.end));
    expect([show(first), show(second), show(second?.reply), show(third)]).toEqual([
      "[INST] q [/INST]",
      " a</s>",
      " a</s>",
      "[INST] r [/INST]",
    ]);
  });
});
