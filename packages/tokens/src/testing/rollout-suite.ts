// A five-turn tool rollout through `extend`: a call with words around it, two calls, a turn cut off while thinking, reasoning before a
// call, and a last word from the user. Run on byte tokens (fast) and on the real vocabularies (slow), with the real templates.
import type { AssistantMessage, Message, ToolSpec } from "@hone/core";
import { expect, test } from "vitest";
import { createRenderer } from "../renderer.ts";
import type { LoadedTokenizer } from "../load.ts";
import { type Family, families } from "./families.ts";

const tools: readonly ToolSpec[] = [
  { name: "weather", description: "Weather in a city", parameters: { type: "object", properties: {} } },
];

interface Turn {
  readonly text: string;
  readonly isCut?: true;
  readonly next: readonly string[];
}

function turnsOf(family: Family): readonly Turn[] {
  const isLlama = family === "llama3_2";
  const call = (city: string): string =>
    isLlama
      ? `{"name": "weather", "parameters": {"city": "${city}"}}`
      : `<tool_call>\n{"name": "weather", "arguments": {"city": "${city}"}}\n</tool_call>`;
  return [
    { text: `Looking.\n${call("Rom")}`, next: ["sunny <|im_end|><|eot_id|>"] },
    { text: `${call("Oslo")}${isLlama ? "; " : "\n"}${call("Bern")}`, next: ["snow", "rain"] },
    { text: "<think>\nrain or sn", isCut: true, next: ["Go on."] },
    { text: `<think>\nonce more\n</think>\n\n${call("Zürich")}`, next: ["fog"] },
    { text: "Fog in Zürich.", next: ["Thanks, bye."] },
  ];
}

export function rolloutSuite(load: (family: Family) => Promise<LoadedTokenizer>): void {
  test.each(families)("a five-turn tool rollout with %s is one branch", async (family) => {
    const loaded = await load(family);
    const { tokenizer } = loaded;
    const renderer = createRenderer(loaded);
    const [stop = -1] = renderer.stopTokens;
    const messages: Message[] = [
      { role: "system", content: "Call tools." },
      { role: "user", content: "Compare <|im_end|> and <|eot_id|> weather." },
    ];
    const replies: AssistantMessage[] = [];
    let rendered = renderer.render(messages, { tools });
    for (const { text, isCut, next } of turnsOf(family)) {
      // Sampled as no tokenizer would write it, one character at a time, so that tokenising it again would show.
      const sampled = Array.from(text).flatMap((character) => [...tokenizer.encode(character)]);
      if (!isCut) sampled.push(stop);
      const seen = Int32Array.from([...rendered.ids, ...sampled]);
      const { message, finish } = renderer.parse(Int32Array.from(sampled), { prompt: rendered.ids });
      expect(finish).toBe(isCut ? "length" : message.toolCalls === undefined ? "stop" : "tool-calls");
      replies.push(message);
      const fresh = next.map((content, index): Message => {
        const call = message.toolCalls?.[index];
        return call === undefined ? { role: "user", content } : { role: "tool", toolCallId: call.id, content };
      });
      messages.push(message, ...fresh);
      rendered = renderer.extend({ ids: seen, messages: messages.length - fresh.length }, messages, { tools });
      expect(rendered.how).toBe("extended");
      expect(rendered.ids.subarray(0, seen.length)).toEqual(seen);
      expect(tokenizer.decode(rendered.ids.subarray(seen.length))).toBe(bridgeOf(family, fresh, isCut));
    }
    expect(replies.map(({ toolCalls }) => toolCalls?.map((call) => call.arguments))).toEqual([
      ['{"city": "Rom"}'],
      ['{"city": "Oslo"}', '{"city": "Bern"}'],
      undefined,
      ['{"city": "Zürich"}'],
      undefined,
    ]);
    expect(replies.map((reply) => reply.reasoning)).toEqual([
      undefined,
      undefined,
      "rain or sn",
      "once more",
      undefined,
    ]);
    expect(replies.map((reply) => reply.content)).toEqual(["Looking.", "", "", "", "Fog in Zürich."]);
    const ids = replies.flatMap(({ toolCalls }) => toolCalls?.map((call) => call.id) ?? []);
    expect(new Set(ids).size).toBe(4);
  });
}

/** What must stand between a reply and the next one, written by hand. */
function bridgeOf(family: Family, fresh: readonly Message[], isCut: true | undefined): string {
  const isTool = fresh[0]?.role === "tool";
  const texts = fresh.map(({ content }) => content as string);
  if (family === "llama3_2") {
    const turn = (role: string, text: string): string =>
      `<|start_header_id|>${role}<|end_header_id|>\n\n${text}<|eot_id|>`;
    const shown = texts.map((text) => (isTool ? turn("ipython", JSON.stringify(text)) : turn("user", text)));
    return `${isCut ? "<|eot_id|>" : ""}${shown.join("")}<|start_header_id|>assistant<|end_header_id|>\n\n`;
  }
  const shown = isTool
    ? texts.map((text) => `\n<tool_response>\n${text}\n</tool_response>`).join("")
    : `\n${texts.join("")}`;
  return `${isCut ? "<|im_end|>" : ""}\n<|im_start|>user${shown}<|im_end|>\n<|im_start|>assistant\n`;
}
