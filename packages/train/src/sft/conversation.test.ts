import { expect, test } from "vitest";
import { parseConversation } from "./conversation.ts";

const user = { role: "user", content: "2 + 3?" };
const reply = { role: "assistant", content: "5" };

test("a prompt and a completion are two messages, and the completion is trained on", () => {
  expect(parseConversation({ prompt: "2 + 3?", completion: "5", id: 17 })).toEqual({
    messages: [user, reply],
    tools: [],
    replies: [1],
  });
});

test("of a prompt that is a conversation nothing is trained on", () => {
  const { replies } = parseConversation({ prompt: [user, reply, user], completion: [reply] });
  expect(replies).toEqual([3]);
});

test("tool calls are read as chat APIs write them and as Hone does", () => {
  const call = { id: "a", name: "add", arguments: '{"x":2}' };
  const result = { role: "tool", toolCallId: "a", content: "5" };
  const api = [
    user,
    { role: "assistant", content: null, tool_calls: [{ id: "a", type: "function", function: call }] },
    { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "5" }] },
    reply,
  ];
  const ours = [user, { role: "assistant", content: "", toolCalls: [call] }, result, reply];
  const expected = parseConversation({ messages: ours });
  expect(expected.replies).toEqual([1, 3]);
  expect(expected.messages[2]).toEqual(result);
  expect(parseConversation({ messages: api, prompt: null })).toEqual(expected);
});

test("calls and results without ids belong together in their order", () => {
  const calls = ["add", "mul"].map((name) => ({ function: { name, arguments: { x: 1 } } }));
  const { messages } = parseConversation({
    messages: [
      user,
      { role: "assistant", tool_calls: calls },
      { role: "tool", content: "1" },
      { role: "tool", content: "2" },
      reply,
    ],
  });
  const [, called, first, second] = messages;
  expect(called).toMatchObject({ toolCalls: [{ name: "add", arguments: '{"x":1}' }, { name: "mul" }] });
  const ids = called?.role === "assistant" ? called.toolCalls?.map(({ id }) => id) : [];
  expect([first, second]).toMatchObject([{ toolCallId: ids?.[0] }, { toolCallId: ids?.[1] }]);
});

test("tools are read in both spellings", () => {
  const tool = { name: "add", description: "adds", parameters: { type: "object" } };
  const [a, b] = [[tool], [{ type: "function", function: tool }]].map(
    (tools) => parseConversation({ messages: [user, reply], tools }).tools,
  );
  expect(a).toEqual([tool]);
  expect(b).toEqual([tool]);
});

test("a reply of weight 0 is context", () => {
  const { replies } = parseConversation({ messages: [user, { ...reply, weight: 0 }, user, { ...reply, weight: 1 }] });
  expect(replies).toEqual([3]);
});

test.each([
  [{}, "neither `messages` nor `prompt` and `completion`"],
  [[], "a row is a JSON object"],
  [{ prompt: "only this" }, "neither"],
  [{ messages: [] }, "messages: no messages"],
  [{ messages: "hello" }, "messages: "],
  [{ messages: [user] }, "no message of the assistant to train on"],
  [{ messages: [user, { ...reply, weight: 0 }] }, "no message of the assistant to train on"],
  [{ messages: [{ role: "usr", content: "x" }, reply] }, "messages.0.role"],
  [{ messages: [user, { role: "assistant", content: "", tool_call: [] }] }, "tool_call"],
  [{ messages: [user, { role: "tool", content: "5" }, reply] }, "messages.1: a result of a tool that nobody called"],
  [{ messages: [{ role: "user", content: [{ type: "image_url" }] }, reply] }, "messages.0.content"],
])("%j is refused", (row, message) => {
  expect(() => parseConversation(row)).toThrow(message);
});
