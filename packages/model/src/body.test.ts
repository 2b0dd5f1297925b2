import { expect, test } from "vitest";
import { openReply } from "./body.ts";
import { chat } from "./dialect/chat.ts";
import type { BodyReader } from "./transport.ts";
import type { WireReply } from "./dialect/dialect.ts";

const open = (headers: Readonly<Record<string, string>>, status = 200): BodyReader<WireReply> =>
  openReply({ status, headers }, chat, () => 0);
const events = { "content-type": "text/event-stream; charset=utf-8" };

test("text is whole however its bytes are cut", () => {
  const whole = JSON.stringify({ choices: [{ message: { content: "Ünïcode 😀" }, finish_reason: "stop" }] });
  const chunk = JSON.stringify({ choices: [{ delta: { content: "Ünïcode 😀" }, finish_reason: "stop" }] });
  for (const [headers, text] of [
    [{}, whole],
    [events, `data: ${chunk}\n\n`],
    [events, `: a comment\r\ndata: ${chunk}\r\n\r\n`],
    [events, `data: ${chunk}`],
  ] as const) {
    const reader = open(headers);
    for (const byte of Buffer.from(text)) reader.chunk(Buffer.from([byte]));
    expect(reader.end().completion.message.content).toBe("Ünïcode 😀");
  }
});

test("a reply is there as soon as its stream says it is over", () => {
  const reader = open(events);
  const chunk = JSON.stringify({ choices: [{ delta: { content: "hi" }, finish_reason: "stop" }] });
  expect(reader.chunk(Buffer.from(`data: ${chunk}\n\n`))).toBeUndefined();
  expect(reader.chunk(Buffer.from("data: [DONE]\n\n"))?.result.completion.message.content).toBe("hi");
});

test("a compressed answer, which nobody asked for, is refused before it is read", () => {
  expect(() => open({ "content-encoding": "gzip" })).toThrow("compressed");
  expect(() => open({ "content-encoding": "identity" })).not.toThrow();
});

test("an event without an end is refused at its cap", () => {
  const reader = open(events);
  reader.chunk(Buffer.from("data: "));
  const mebibyte = Buffer.alloc(1_048_576, "x");
  expect(() => {
    for (let count = 0; count < 40; count++) reader.chunk(mebibyte);
  }).toThrow("longer than 33554432 characters");
});

test("an error is quoted from its first bytes, however long it is", () => {
  const reader = open({}, 500);
  expect(() => {
    for (let count = 0; count < 100; count++) reader.chunk(Buffer.alloc(1024, "y"));
  }).toThrow(`HTTP 500: ${"y".repeat(200)}…`);
});
