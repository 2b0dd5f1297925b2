import { expect, test } from "vitest";
import { isStop } from "./environment.ts";
import { Message, textOf } from "./message.ts";
import { Sampling } from "./model.ts";
import { SandboxSpec } from "./sandbox.ts";

test("the text of a message leaves images out", () => {
  expect(textOf("plain")).toBe("plain");
  const image = { type: "image", url: "data:," } as const;
  expect(textOf([{ type: "text", text: "a" }, image, { type: "text", text: "b" }])).toBe("ab");
});

test("messages of each role are read, and nothing beside them", () => {
  const messages: Message[] = [
    { role: "system", content: "s" },
    { role: "user", content: [{ type: "image", url: "data:," }] },
    { role: "assistant", content: "", reasoning: "r", toolCalls: [{ id: "1", name: "f", arguments: "{" }] },
    { role: "tool", toolCallId: "1", content: "c", isError: true },
  ];
  for (const message of messages) expect(Message.parse(message)).toEqual(message);
  expect(Message.safeParse({ role: "critic", content: "" }).error?.issues[0]?.path).toEqual(["role"]);
  expect(Message.safeParse({ role: "user", content: "x", name: "bob" }).success).toBe(false);
  expect(Message.safeParse({ role: "assistant", content: "x", reasoning: undefined }).success).toBe(false);
});

test("sampling that no model could honour is refused with its field", () => {
  expect(Sampling.parse({ temperature: 0, maxTokens: 5, stop: ["x"] })).toEqual({
    temperature: 0,
    maxTokens: 5,
    stop: ["x"],
  });
  for (const [field, value] of Object.entries({ maxTokens: 0, temperature: -1, topP: 0, minP: 2, seed: 0.5 })) {
    expect(Sampling.safeParse({ [field]: value }).error?.issues[0]?.path).toEqual([field]);
  }
  expect(Sampling.safeParse({ max_tokens: 5 }).success).toBe(false);
});

test("a sandbox is described by known fields alone", () => {
  expect(SandboxSpec.parse({ image: "x", files: { "a.txt": "b" }, memoryMb: 64, network: false })).toBeTruthy();
  expect(SandboxSpec.safeParse({ memoryMb: -1 }).success).toBe(false);
  expect(SandboxSpec.safeParse({ cpu: 1 }).success).toBe(false);
});

test("a stop is told from a reply", () => {
  expect(isStop({ type: "answered" })).toBe(true);
  expect(isStop({ node: 1, message: { role: "assistant", content: "" } })).toBe(false);
});
