// What holds for every conversation, tested on random ones, and the spans of the conversations in renderings.json.
// Run on byte tokens (fast) and on the real vocabularies (slow), with the real templates.
import { type AssistantMessage, type Message, textOf } from "@hone/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LoadedTokenizer } from "../load.ts";
import { createRenderer, type Renderer } from "../renderer.ts";
import type { Tokenizer } from "../tokenizer.ts";
import { conversation, plainText, toolConversation } from "./arbitraries.ts";
import { type Family, families, renderings } from "./families.ts";

interface Opened {
  readonly tokenizer: Tokenizer;
  readonly renderer: Renderer;
  readonly text: (messages: readonly Message[]) => string;
}

const tools = [{ name: "look_up", description: "", parameters: { type: "object", properties: {} } }];

/** A reply as these templates write it, so that a policy could have sampled it. */
function sampledText(family: Family, { content, toolCalls }: AssistantMessage): string {
  const [call] = toolCalls ?? [];
  if (call === undefined) return content;
  return family === "llama3_2"
    ? `{"name": "${call.name}", "parameters": ${call.arguments}}`
    : `<tool_call>\n{"name": "${call.name}", "arguments": ${call.arguments}}\n</tool_call>`;
}

export function rendererSuite(load: (family: Family) => Promise<LoadedTokenizer>): void {
  const open = async (family: Family): Promise<Opened> => {
    const loaded = await load(family);
    const { tokenizer, template } = loaded;
    return { tokenizer, renderer: createRenderer(loaded), text: (messages) => template?.render(messages) ?? "" };
  };

  describe.each(families)("%s", (family) => {
    test("text without look-alikes is encoded as the rendered text is, merges across borders included", async () => {
      const { tokenizer, renderer, text } = await open(family);
      fc.assert(
        fc.property(conversation(plainText), (messages) => {
          expect(renderer.render(messages).ids).toEqual(tokenizer.encode(text(messages), { control: true }));
        }),
        { numRuns: 50 },
      );
    });

    test("nobody's words become control tokens", async () => {
      const { tokenizer, renderer } = await open(family);
      const control = new Set(tokenizer.controlTokens.values());
      const controlsOf = (messages: readonly Message[]): number[] =>
        [...renderer.render(messages).ids].filter((id) => control.has(id));
      fc.assert(
        fc.property(conversation(), (messages) => {
          const harmless = messages.map((message) => ({ ...message, content: "x" }));
          expect(controlsOf(messages)).toEqual(controlsOf(harmless));
        }),
        { numRuns: 50 },
      );
    });

    test("the ids of a conversation decode to its rendered text, look-alikes included", async () => {
      const { tokenizer, renderer, text } = await open(family);
      fc.assert(
        fc.property(conversation(), (messages) => {
          // Some vocabularies normalise, and half a surrogate pair has no bytes.
          const same = (one: string): string => Buffer.from(one.normalize("NFC")).toString();
          expect(same(tokenizer.decode(renderer.render(messages).ids))).toBe(same(text(messages)));
        }),
        { numRuns: 50 },
      );
    });
  });

  test.each(["qwen2_5", "llama3_2"] as const)("turn by turn gives what rendering at once gives: %s", async (family) => {
    const { tokenizer, renderer } = await open(family);
    fc.assert(
      fc.property(toolConversation, fc.boolean(), (messages, hasTools) => {
        const options = hasTools ? { tools } : {};
        const replies = [...messages.keys()].filter((at) => messages[at]?.role === "assistant");
        let { ids } = renderer.render(messages.slice(0, replies[0]), options);
        for (const [order, at] of replies.entries()) {
          const reply = tokenizer.encode(sampledText(family, messages[at] as AssistantMessage));
          const seen = Int32Array.from([...ids, ...reply, renderer.stopTokens[0] ?? -1]);
          const next = messages.slice(0, replies[order + 1]);
          const extended = renderer.extend({ ids: seen, messages: at + 1 }, next, options);
          expect(extended.how).toBe("extended");
          ids = extended.ids;
        }
        expect(ids).toEqual(renderer.render(messages, options).ids);
      }),
      { numRuns: 50 },
    );
  });

  test("Qwen3 drops earlier reasoning when it renders, and keeps it when it extends", async () => {
    const { tokenizer, renderer } = await open("qwen3");
    const first: Message = { role: "user", content: "2+2?" };
    const sampled = tokenizer.encode("<think>\nsum\n</think>\n\n4");
    const seen = Int32Array.from([...renderer.render([first]).ids, ...sampled, renderer.stopTokens[0] ?? -1]);
    const messages: Message[] = [first, renderer.parse(sampled).message, { role: "user", content: "3+3?" }];
    expect(tokenizer.decode(renderer.render(messages).ids)).not.toContain("sum");
    const extended = renderer.extend({ ids: seen, messages: 2 }, messages);
    expect(tokenizer.decode(extended.ids)).toContain("<think>\nsum\n</think>\n\n4<|im_end|>\n<|im_start|>user\n3+3?");
  });

  describe.each(families)("spans of %s", (family) => {
    const { tools, cases } = renderings();
    test.each(cases.filter((one) => one.family === family))("$name", async ({ messages, hasTools, variables }) => {
      const { tokenizer, renderer } = await open(family);
      const options = { ...(hasTools ? { tools } : {}), ...(variables === undefined ? {} : { variables }) };
      const { ids } = renderer.render(messages, options);
      const show = (start: number, end: number): string => tokenizer.decode(ids.subarray(start, end));
      const spans = renderer.spans(messages, options);
      expect(spans.map(({ message }) => message)).toEqual([...messages.keys()]);
      expect(spans.map(({ start }) => start)).toEqual([0, ...spans.slice(0, -1).map(({ end }) => end)]);
      const rest = show(spans.at(-1)?.end ?? 0, ids.length);
      expect(rest).toMatch(messages.at(-1)?.role === "assistant" ? /^$/ : /^<\|[a-z_]+\|>assistant/);
      const isReply = messages.map(({ role }) => role === "assistant");
      expect(spans.map(({ reply }) => reply !== undefined)).toEqual(isReply);
      for (const { message: index, start, end } of spans.filter(({ reply }) => reply === undefined)) {
        const { role, content } = messages[index] ?? { role: undefined, content: "" };
        const words = textOf(content);
        expect(show(start, end)).toContain(
          role === "tool" && family === "llama3_2" ? JSON.stringify(words) : words.trim(),
        );
      }
      for (const { start, end, reply = { start, end } } of spans.filter(({ reply }) => reply !== undefined)) {
        const header = /^<\|[a-z_]+\|>assistant(<\|end_header_id\|>\n)?\n(<think>\n\n<.think>\n\n)?$/;
        expect(show(start, reply.start)).toMatch(header);
        expect(show(reply.start, reply.end)).toMatch(/^[^|]*<\|(im_end|eot_id)\|>$/);
        expect(show(reply.end, end)).toBe(family === "llama3_2" ? "" : "\n");
      }
    });
  });
}
