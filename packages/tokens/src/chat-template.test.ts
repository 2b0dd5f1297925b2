import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HoneError } from "@hone/core";
import { describe, expect, test } from "vitest";
import { type Family, families, folderOf, renderings } from "./testing/families.ts";
import { type ChatTemplate, chatmlTemplate, createChatTemplate } from "./chat-template.ts";

interface Config {
  readonly chat_template: string;
  readonly bos_token: string | null;
}
function templateOf(family: Family): ChatTemplate {
  const config = JSON.parse(readFileSync(join(folderOf(family), "tokenizer_config.json"), "utf8")) as Config;
  return createChatTemplate(config.chat_template, { specialTokens: { bos_token: config.bos_token ?? "" } });
}

describe.each(families)("%s renders what Hugging Face renders", (family) => {
  const { tools, cases } = renderings();
  const template = templateOf(family);
  test.each(cases.filter((one) => one.family === family))("$name", ({ messages, hasTools, variables, text }) => {
    const options = { ...(hasTools ? { tools } : {}), ...(variables === undefined ? {} : { variables }) };
    expect(template.render(messages, options)).toBe(text);
  });
});

test("the template named tool_use is taken when tools are offered", () => {
  const template = createChatTemplate({ default: "plain", tool_use: "with {{ tools | length }}" });
  expect(template.render([])).toBe("plain");
  expect(template.render([], { tools: [{ name: "now", description: "", parameters: {} }] })).toBe("with 1");
});

test("the date stands still unless one is given", () => {
  const template = createChatTemplate("{{ strftime_now('%d %B %Y, %A %H:%M') }}");
  expect(template.render([])).toBe("26 July 2024, Friday 00:00");
  expect(template.render([], { now: new Date("2031-02-03T04:05:06Z") })).toBe("03 February 2031, Monday 04:05");
});

test("a template that raises an exception says why", () => {
  const template = createChatTemplate("{{ raise_exception('roles must alternate') }}");
  expect(() => template.render([])).toThrow("the chat template refused: roles must alternate");
});

test("a template that is no Jinja is refused when it is made", () => {
  expect(() => createChatTemplate("{% if %}")).toThrow(/cannot be read/);
});

test("images are refused by a template that has no place for them", () => {
  const messages = [{ role: "user", content: [{ type: "image", url: "data:," }] }] as const;
  const template = createChatTemplate("{{ messages[0].content }}");
  expect(() => template.render(messages)).toThrow(HoneError);
  const seeing = createChatTemplate("{% for part in messages[0].content %}[{{ part.type }}]{% endfor %}{# image #}");
  expect(seeing.render(messages)).toBe("[image]");
});

test("text parts are one text, the caller of a tool is named in its result", () => {
  const template = createChatTemplate("{% for m in messages %}{{ m.content }}|{{ m.name }};{% endfor %}");
  const text = template.render([
    {
      role: "user",
      content: [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
    },
    { role: "assistant", content: "", toolCalls: [{ id: "1", name: "now", arguments: "{}" }] },
    { role: "tool", toolCallId: "1", content: "noon" },
  ]);
  expect(text).toBe("ab|;|;noon|now;");
});

test("tojson prints as Python does", () => {
  const show = (expression: string): string =>
    createChatTemplate(`{{ ${expression} }}`).render([], {
      variables: { value: { b: [], a: { c: {} }, small: 0.00001, text: "é\u2028\"<'" } },
    });
  expect(show("value | tojson")).toBe(`{"b": [], "a": {"c": {}}, "small": 1e-05, "text": "é\u2028\\"<'"}`);
  expect(show("value.a | tojson(indent=2)")).toBe('{\n  "c": {}\n}');
  expect(show("value | tojson(sort_keys=true, separators=(',', ':'), ensure_ascii=true)")).toBe(
    String.raw`{"a":{"c":{}},"b":[],"small":1e-05,"text":"\u00e9\u2028\"<'"}`,
  );
});

test("the built-in template renders reasoning, tools and calls", () => {
  const template = createChatTemplate(chatmlTemplate);
  const text = template.render(
    [
      { role: "user", content: "Time?" },
      {
        role: "assistant",
        content: "Looking.",
        reasoning: "clock",
        toolCalls: [{ id: "1", name: "now", arguments: '{"zone":"UTC"}' }],
      },
      { role: "tool", toolCallId: "1", content: "noon" },
    ],
    { tools: [{ name: "now", description: "time", parameters: {} }] },
  );
  expect(text).toBe(
    `<|im_start|>user\n# Tools\n\nCall a function by writing <tool_call>{"name": ..., "arguments": {...}}</tool_call>.\n` +
      `{"name": "now", "description": "time", "parameters": {}}\n\nTime?<|im_end|>\n` +
      `<|im_start|>assistant\n<think>\nclock\n</think>\n\nLooking.\n` +
      `<tool_call>\n{"name": "now", "arguments": {"zone": "UTC"}}\n</tool_call><|im_end|>\n` +
      `<|im_start|>tool\nnoon<|im_end|>\n<|im_start|>assistant\n`,
  );
});
