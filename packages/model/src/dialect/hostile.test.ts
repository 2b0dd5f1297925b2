// Whatever JSON a server makes up, a dialect reads it or throws a ModelError: nothing else, and never for ever.
import { ModelError } from "@hone/core";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { DialectName } from "../endpoint.ts";
import { dialectNamed } from "./index.ts";

const names: readonly DialectName[] = ["chat", "responses", "messages", "completions"];

/** JSON in the places where the dialects look. */
const body = fc.jsonValue({ maxDepth: 2 }).chain((value) =>
  fc.constantFrom<unknown>(
    value,
    { error: value },
    { choices: [value], usage: value },
    {
      choices: [{ message: value, delta: value, text: value, logprobs: value, token_ids: value }],
      prompt_token_ids: value,
    },
    { choices: [{ delta: { tool_calls: value, reasoning_details: [value, value] }, finish_reason: value }] },
    { choices: [{ message: { content: value, tool_calls: [value, { id: value, function: value }] } }] },
    { output: [value, { type: "message", content: value }, { type: "reasoning", summary: value, content: value }] },
    { type: "response.completed", response: value },
    { type: "response.output_item.done", item: value },
    { content: [value, { type: "tool_use", input: value, id: value }], stop_reason: value, usage: value },
    { type: "message_start", message: value },
    { type: "content_block_start", index: value, content_block: value },
    { type: "content_block_delta", index: 0, delta: value },
    { type: "message_delta", delta: value, usage: value },
  ),
);

function outcome(read: () => unknown): string {
  try {
    read();
    return "read";
  } catch (error) {
    return error instanceof ModelError ? "read" : String(error);
  }
}

test.each(names)("%s", (dialect) => {
  const format = dialectNamed({ name: "x", model: "m", baseUrl: "http://127.0.0.1", dialect });
  fc.assert(
    fc.property(fc.array(body, { minLength: 1, maxLength: 4 }), (bodies) => {
      for (const each of bodies) expect(outcome(() => format.fromResponse(each))).toBe("read");
      const stream = format.createStream();
      for (const each of bodies) expect(outcome(() => stream.push({ data: JSON.stringify(each) }))).toBe("read");
      expect(outcome(() => stream.finish())).toBe("read");
    }),
  );
});

test("a tool call at a very large index takes no more room than one at 0", () => {
  const stream = dialectNamed({ name: "x", model: "m", baseUrl: "http://127.0.0.1", dialect: "chat" }).createStream();
  const call = { index: 2 ** 40, id: "a", function: { name: "look", arguments: "{}" } };
  stream.push({ data: JSON.stringify({ choices: [{ delta: { tool_calls: [call] }, finish_reason: "tool_calls" }] }) });
  expect(stream.finish().completion.message.toolCalls).toEqual([{ id: "a", name: "look", arguments: "{}" }]);
});
