// What a list shows of a rollout, taken from its line. Lines are trusted for nothing: a field of another type counts as absent.
import { parseObject } from "./tail.ts";

export interface RolloutFacts {
  readonly id: string;
  readonly group: string;
  readonly index: number;
  readonly env: string;
  readonly taskId: string;
  /** NaN when it was not scored. */
  readonly reward: number;
  readonly stop: string;
  readonly isTruncated: boolean;
  readonly hasFailed: boolean;
  readonly turns: number;
  readonly toolCalls: number;
  readonly outputTokens: number;
  readonly durationMs: number;
}

export function factsOf(line: string): RolloutFacts | undefined {
  const row = parseObject(line);
  if (row === undefined || typeof row["id"] !== "string") return undefined;
  const agent = recordOf(arrayOf(row["agents"])[0]);
  const nodes = arrayOf(row["nodes"]).map(recordOf);
  const calls = arrayOf(row["calls"]).map(recordOf);
  const reward = agent["reward"];
  return {
    id: row["id"],
    group: textOf(row["group"]),
    index: numberOf(row["index"]),
    env: textOf(row["env"]),
    taskId: textOf(row["taskId"]),
    reward: typeof reward === "number" ? reward : Number.NaN,
    stop: stopName(recordOf(row["stop"])),
    isTruncated: row["truncated"] === true,
    hasFailed: row["failure"] !== undefined,
    turns: nodes.filter((node) => node["sampled"] === true).length,
    toolCalls: nodes.reduce((sum, node) => sum + arrayOf(recordOf(node["message"])["toolCalls"]).length, 0),
    outputTokens: calls.reduce((sum, call) => sum + numberOf(recordOf(call["usage"])["outputTokens"]), 0),
    durationMs: numberOf(recordOf(row["timing"])["durationMs"]),
  };
}

/** Everything that was said, for a search: contents, reasoning, tool calls and the failure. */
export function saidIn(line: string): readonly string[] {
  const row = parseObject(line);
  if (row === undefined) return [];
  const said = arrayOf(row["nodes"]).flatMap((node) => {
    const message = recordOf(recordOf(node)["message"]);
    const calls = arrayOf(message["toolCalls"]).map(recordOf);
    const called = calls.flatMap((call) => [textOf(call["name"]), textOf(call["arguments"])]);
    return [contentText(message["content"]), textOf(message["reasoning"]), ...called];
  });
  const names = [textOf(row["id"]), textOf(row["taskId"]), textOf(recordOf(row["failure"])["message"])];
  return [...said, ...names].filter((text) => text !== "");
}

/** The last thing the model said. */
export function lastReply(line: string): string {
  const nodes = arrayOf(parseObject(line)?.["nodes"]).map(recordOf);
  const reply = nodes.findLast((node) => node["sampled"] === true);
  const message = recordOf(reply?.["message"]);
  const text = contentText(message["content"]);
  if (text.trim() !== "") return text;
  const [call] = arrayOf(message["toolCalls"]).map(recordOf);
  return call === undefined ? "" : `${textOf(call["name"])} ${textOf(call["arguments"])}`;
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return arrayOf(content)
    .map((part) => textOf(recordOf(part)["text"]))
    .join("");
}

/** "answered", "won", "limit turns". */
function stopName(stop: Record<string, unknown>): string {
  const type = textOf(stop["type"]);
  if (type === "ended") return textOf(stop["by"]);
  return type === "limit" ? `limit ${textOf(stop["of"])}` : type;
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
