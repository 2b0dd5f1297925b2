// What is counted for every rollout: turns, tool calls and errors in total and per tool, tokens in and out. Seconds and the stop reason are on the rollout itself.
import type { Call, MessageNode } from "@hone/core";

export function automaticMetrics(
  nodes: readonly MessageNode[],
  calls: readonly Call[],
  toolNames: readonly string[],
): Record<string, number> {
  const metrics: Record<string, number> = {
    turns: calls.filter((call) => call.node !== null).length,
    input_tokens: calls.reduce((sum, { usage }) => sum + usage.inputTokens, 0),
    output_tokens: calls.reduce((sum, { usage }) => sum + usage.outputTokens, 0),
  };
  const made = nodes.flatMap(({ message, sampled }) =>
    sampled && message.role === "assistant" ? (message.toolCalls ?? []) : [],
  );
  if (toolNames.length === 0 && made.length === 0) return metrics;
  const nameOf = new Map(made.map((call) => [call.id, call.name]));
  metrics["tool_calls"] = made.length;
  metrics["tool_errors"] = 0;
  for (const name of toolNames) {
    metrics[`tool_calls/${name}`] = made.filter((call) => call.name === name).length;
    metrics[`tool_errors/${name}`] = 0;
  }
  for (const { message } of nodes) {
    if (message.role !== "tool" || message.isError !== true) continue;
    metrics["tool_errors"]++;
    const key = `tool_errors/${nameOf.get(message.toolCallId)}`;
    if (metrics[key] !== undefined) metrics[key]++;
  }
  return metrics;
}
