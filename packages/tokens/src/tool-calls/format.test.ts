import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { detectToolCallFormat, toolCallFormat, type ToolCallFormatName } from "./format.ts";

const parse = (name: ToolCallFormatName, text: string) => toolCallFormat(name).parse(text);

describe("hermes", () => {
  test("keeps the arguments letter by letter", () => {
    const text = '<tool_call>\n{"arguments": {"b":1.0,  "a": [ ]}, "name": "f"}\n</tool_call>';
    expect(parse("hermes", text)).toEqual({ content: "", calls: [{ name: "f", arguments: '{"b":1.0,  "a": [ ]}' }] });
  });

  test("several calls, with the words around them", () => {
    const one = '<tool_call>{"name": "f", "arguments": {}}</tool_call>';
    const two = '<tool_call>{"name": "g", "arguments": {"x": 1}}</tool_call>';
    expect(parse("hermes", `First.\n${one}\nThen.\n${two}\nDone.`)).toEqual({
      content: "First.\nThen.\nDone.",
      calls: [
        { name: "f", arguments: "{}" },
        { name: "g", arguments: '{"x": 1}' },
      ],
    });
  });

  test("a closing tag inside an argument does not end the call", () => {
    const text = '<tool_call>{"name": "f", "arguments": {"code": "</tool_call> }"}}</tool_call>after';
    expect(parse("hermes", text)).toEqual({
      content: "after",
      calls: [{ name: "f", arguments: '{"code": "</tool_call> }"}' }],
    });
  });

  test.each([
    ["a brace is missing", '{"name": "f", "arguments": {"a": 1}', '{"a": 1}'],
    ["a value is missing", '{"name": "f", "arguments": {"a": }}', '{"a": }'],
    ["the text was cut off", '{"name": "f", "arguments": {"a": "lon', '{"a": "lon'],
    ["there are no arguments", '{"name": "f"}', "{}"],
    ["they are JSON in a string", String.raw`{"name": "f", "arguments": "{\"a\": 1}"}`, '{"a": 1}'],
    ["they are a plain string", '{"name": "f", "arguments": "now"}', '"now"'],
    ["a nested object has a name", '{"arguments": {"name": "x"}, "name": "f"}', '{"name": "x"}'],
  ])("the call is kept when %s", (_why, body, written) => {
    const calls = [{ name: "f", arguments: written }];
    expect(parse("hermes", `<tool_call>${body}</tool_call>`).calls).toEqual(calls);
    expect(parse("hermes", `words <tool_call>\n${body}`)).toEqual({ content: "words", calls });
  });

  test("what stands between the call and its closing tag is no content", () => {
    const text = '<tool_call>{"name": "f", "arguments": {"a": 1}}}</tool_call>';
    expect(parse("hermes", text)).toEqual({ content: "", calls: [{ name: "f", arguments: '{"a": 1}' }] });
  });

  test("a block without a name stays content", () => {
    const text = 'a <tool_call>not a call</tool_call> b <tool_call>{"x": 1}</tool_call>';
    expect(parse("hermes", text)).toEqual({ content: text, calls: [] });
  });

  test("a good call after a bad block is found, the bad block kept", () => {
    const text = '<tool_call>oops</tool_call><tool_call>{"name": "f", "arguments": {}}</tool_call>';
    expect(parse("hermes", text)).toEqual({
      content: "<tool_call>oops</tool_call>",
      calls: [{ name: "f", arguments: "{}" }],
    });
  });
});

describe("llama3-json", () => {
  test.each(["", "<|python_tag|>", "\n<|python_tag|>"])("one call after %j", (tag) => {
    expect(parse("llama3-json", `${tag}{"name": "f", "parameters": {"a": "b"}}`)).toEqual({
      content: "",
      calls: [{ name: "f", arguments: '{"a": "b"}' }],
    });
  });

  test("several calls set apart by semicolons, and the words before them", () => {
    const text = 'Sure: {"name": "f", "parameters": {}}; {"name": "g", "parameters": {"a": {"b": 1}}}';
    expect(parse("llama3-json", text)).toEqual({
      content: "Sure:",
      calls: [
        { name: "f", arguments: "{}" },
        { name: "g", arguments: '{"a": {"b": 1}}' },
      ],
    });
  });

  test("a reply that is one broken call is kept as a call", () => {
    expect(parse("llama3-json", '{"name": "f", "parameters": {"a": "b"').calls).toEqual([
      { name: "f", arguments: '{"a": "b"' },
    ]);
  });

  test.each(['{"name": "Ada", "age": 36}', "<|python_tag|>print(1)", "Use {braces} and [lists].", "{"])(
    "%j is no call",
    (text) => expect(parse("llama3-json", text)).toEqual({ content: text, calls: [] }),
  );
});

describe("json", () => {
  test("a list of calls in a code fence", () => {
    const text =
      'Calling:\n```json\n[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {"a": [1]}}]\n```\nDone.';
    expect(parse("json", text)).toEqual({
      content: "Calling:\nDone.",
      calls: [
        { name: "f", arguments: "{}" },
        { name: "g", arguments: '{"a": [1]}' },
      ],
    });
  });

  test("a list with anything but calls is content", () => {
    const text = '[{"name": "f", "arguments": {}}, 3, {"name": "x"}]';
    expect(parse("json", text).content).toContain("3");
  });
});

test("without a format nothing is a call", () => {
  const text = '<tool_call>{"name": "f", "arguments": {}}</tool_call>';
  expect(parse("none", text)).toEqual({ content: text, calls: [] });
});

const formats = ["hermes", "llama3-json", "json", "none"] as const;
const fragments = [
  "<tool_call>",
  "</tool_call>",
  "{",
  "}",
  "[",
  "]",
  '"',
  "\\",
  '"name"',
  ": ",
  '"f"',
  '"arguments"',
  ",",
  "x",
  "\n",
];

test.each(formats)("%s reads any text without throwing, and makes nothing up", (name) => {
  const text = fc
    .array(fc.oneof(fc.constantFrom(...fragments, '{"name": "f", "arguments": {}}', "<|python_tag|>"), fc.string()))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (text) => {
      const { content, calls } = parse(name, text);
      expect(calls.length > 0 || content === text).toBe(true);
      for (const line of content.split("\n")) expect(text).toContain(line.trim());
      for (const call of calls) expect(call.name).not.toBe("");
    }),
    { numRuns: 300 },
  );
});

test.each(formats)("%s reads a calls-only reply back", (name) => {
  if (name === "none") return;
  const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })).map((value) => JSON.stringify(value));
  const calls = fc.array(fc.record({ name: fc.stringMatching(/^[a-z_]{1,8}$/), arguments: json }), {
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(calls, (calls) => {
      const written = calls.map((call) => `{"name": "${call.name}", "arguments": ${call.arguments}}`);
      const text =
        name === "hermes" ? written.map((one) => `<tool_call>\n${one}\n</tool_call>`).join("\n") : written.join("; ");
      expect(parse(name, text).calls).toEqual(calls);
    }),
  );
});

const call = '<tool_call>{"name": "f", "arguments": {}}</tool_call>';
test.each([
  ["brackets that never close", "{[".repeat(50_000)],
  ["brackets in brackets", "{".repeat(50_000) + "}".repeat(50_000)],
  ["opening tags", "<tool_call>{".repeat(3000)],
  ["broken calls", '<tool_call>{"a": '.repeat(3000)],
  ["spaces between calls", call + " ".repeat(100_000) + call],
  ["line breaks and fences between calls", call + "\n".repeat(100_000) + "`".repeat(100_000) + call],
])("a reply of %s does not take long", (_what, text) => {
  for (const name of formats) expect(parse(name, text).content.length).toBeLessThanOrEqual(text.length);
});

test.each([
  ["for each call write <tool_call>{...}</tool_call>", "hermes"],
  ["<tool_call>\n<function=name>\n<parameter=x>", "none"],
  ["<|start_header_id|> {{ '\"parameters\": ' }}", "llama3-json"],
  ["{% if tools %}[AVAILABLE_TOOLS]{% endif %}", "json"],
  ["{{ messages[0].content }}", "none"],
])("the format of a template that says %j", (source, format) => {
  expect(detectToolCallFormat(source)).toBe(format);
});
