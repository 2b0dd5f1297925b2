import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chatmlTemplate, createChatTemplate } from "./chat-template.ts";
import { createRenderer } from "./renderer.ts";
import { chatml, id, rendererOf, sampled, tokenizer } from "./testing/chat.ts";

describe("parsing", () => {
  const call = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>';

  test("a reply with reasoning, words and calls", () => {
    const parsed = chatml.parse(sampled(`<think>\nhm\n</think>\n\nwait\n${call}<|im_end|>`));
    expect(parsed).toMatchObject({
      message: {
        role: "assistant",
        content: "wait",
        reasoning: "hm",
        toolCalls: [{ name: "f", arguments: '{"a": 1}' }],
      },
      finish: "tool-calls",
      stopToken: id("<|im_end|>"),
    });
  });

  test("a plain reply has neither reasoning nor calls", () => {
    expect(chatml.parse(sampled("yes<|im_end|>")).message).toEqual({ role: "assistant", content: "yes" });
  });

  test("a reply without a stop token was cut off, calls or not", () => {
    expect(chatml.parse(sampled("ye"))).toEqual({ message: { role: "assistant", content: "ye" }, finish: "length" });
    expect(chatml.parse(sampled(call)).finish).toBe("length");
    expect(chatml.parse(new Int32Array())).toEqual({ message: { role: "assistant", content: "" }, finish: "length" });
  });

  test("without tools nothing is a call", () => {
    expect(chatml.parse(sampled(`${call}<|im_end|>`), { hasTools: false })).toMatchObject({
      message: { content: call },
      finish: "stop",
    });
  });

  test("a reply after a prompt that opened the reasoning block starts in it", () => {
    const prompt = sampled("<|im_start|>assistant\n<think>\n");
    expect(chatml.parse(sampled("half a thou"), { prompt }).message).toEqual({
      role: "assistant",
      content: "",
      reasoning: "half a thou",
    });
  });

  test("call ids are the same for the same reply and differ between turns and calls", () => {
    const ids = sampled(`${call}\n${call}<|im_end|>`);
    const idsAt = (length: number): string[] =>
      chatml.parse(ids, { prompt: new Int32Array(length) }).message.toolCalls?.map((one) => one.id) ?? [];
    expect(idsAt(3)).toEqual(idsAt(3));
    expect(new Set([...idsAt(3), ...idsAt(4)]).size).toBe(4);
    for (const one of idsAt(3)) expect(one).toMatch(/^[0-9a-f]{9}$/);
  });

  test("any ids parse", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5, max: 300 })), (ids) => {
        expect(chatml.parse(Int32Array.from(ids)).message.role).toBe("assistant");
      }),
    );
  });
});

describe("making a renderer", () => {
  test("takes the template's end of turn as a stop token, and those given", () => {
    expect(chatml.stopTokens).toEqual([id("<|im_end|>"), id("<|endoftext|>")]);
  });

  test("needs a template, and a token that ends a reply", () => {
    expect(() => createRenderer({ tokenizer, template: undefined })).toThrow(/without a chat template/);
    expect(() => rendererOf("{{ messages[0].content }}")).toThrow(/no token is known to end a reply/);
  });

  test("takes another format than the template shows", () => {
    const renderer = createRenderer({ tokenizer, template: createChatTemplate(chatmlTemplate), format: "json" });
    expect(renderer.parse(sampled('{"name": "f", "arguments": {}}<|im_end|>')).finish).toBe("tool-calls");
  });
});
