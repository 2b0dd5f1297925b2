import { expect, test } from "vitest";
import type { Call } from "@hone/core";
import { timeSpans } from "./time-spans.ts";

const call = (startedAtMs: number, durationMs: number, node: number | null): Call => ({
  node,
  endpoint: "m",
  sampling: {},
  usage: { inputTokens: 1, outputTokens: 1 },
  finish: "stop",
  startedAtMs,
  durationMs,
});
const said = { parent: null, agent: "agent", sampled: true } as const;

test("the time between two calls belongs to the tools that were called", () => {
  const spans = timeSpans({
    timing: { startedAtMs: 1000, durationMs: 100, setupMs: 10, modelMs: 50, scoringMs: 5 },
    calls: [call(1010, 30, 0), call(1060, 20, 1), call(1081, 2, null)],
    nodes: [
      {
        ...said,
        message: { role: "assistant", content: "", toolCalls: [{ id: "1", name: "shell", arguments: "{}" }] },
      },
      { ...said, message: { role: "assistant", content: "done" } },
    ],
  });
  expect(spans.map(({ name, fromMs, durationMs }) => [name, fromMs, durationMs])).toEqual([
    ["set-up", 0, 10],
    ["call 1", 10, 30],
    ["shell", 40, 20],
    ["call 2", 60, 20],
    ["call 3", 81, 2],
    ["environment", 83, 12],
    ["scoring", 95, 5],
  ]);
});
