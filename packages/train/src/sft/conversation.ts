// A line of a file to a conversation: `messages` as chat APIs write them, or a prompt with its completion. Both spellings of tool calls are
// read, the APIs' and ours. What is not understood is refused with its path: a misspelt key must not silently cost a tool call.
import type { Message, ToolCall, ToolSpec } from "@hone/core";
import * as z from "zod";

export interface Conversation {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** Indices of the assistant's messages that may be trained on, ascending, at least one. */
  readonly replies: readonly number[];
}

/** Throws an `Error` that says what is wrong, without the place. */
export function parseConversation(row: unknown): Conversation {
  if (typeof row !== "object" || row === null || Array.isArray(row)) throw new Error("a row is a JSON object");
  const { messages, prompt, completion, tools } = row as Readonly<Record<string, unknown>>;
  if (isGiven(messages)) return conversationOf([], listOf(messages, "messages"), tools);
  if (isGiven(prompt) && isGiven(completion)) {
    return conversationOf(said(prompt, "user", "prompt"), said(completion, "assistant", "completion"), tools);
  }
  throw new Error("neither `messages` nor `prompt` and `completion`");
}

/** Only what stands in `last` is trained on. */
function conversationOf(first: readonly Turn[], last: readonly Turn[], tools: unknown): Conversation {
  const turns = [...first, ...last];
  const messages = toMessages(turns);
  const replies = turns.flatMap((turn, index) =>
    index >= first.length && turn.role === "assistant" && turn.weight !== 0 ? [index] : [],
  );
  if (replies.length === 0) throw new Error("no message of the assistant to train on");
  return { messages, replies, tools: isGiven(tools) ? check(Tools, tools, "tools") : [] };
}

function said(value: unknown, role: "user" | "assistant", name: string): readonly Turn[] {
  return typeof value === "string" ? [{ role, content: value }] : listOf(value, name);
}

function listOf(value: unknown, name: string): readonly Turn[] {
  const turns = check(Turns, Array.isArray(value) ? value.map(withoutNulls) : value, name);
  if (turns.length === 0) throw new Error(`${name}: no messages`);
  return turns;
}

/** Tables that were made from columns spell a missing field as null. */
function withoutNulls(message: unknown): unknown {
  if (typeof message !== "object" || message === null || Array.isArray(message)) return message;
  return Object.fromEntries(Object.entries(message).filter(([, value]) => value !== null));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

const Text = z.union([
  z.string(),
  z
    .array(z.object({ type: z.literal("text", "only text can be trained on"), text: z.string() }))
    .transform((parts) => parts.map(({ text }) => text).join("")),
]);
const Arguments = z.union([z.string(), z.record(z.string(), z.unknown()).transform((value) => JSON.stringify(value))]);
const Call = z.union([
  z
    .object({ id: z.string().optional(), function: z.object({ name: z.string(), arguments: Arguments }) })
    .transform(({ id, function: called }) => ({ id, ...called })),
  z.object({ id: z.string().optional(), name: z.string(), arguments: Arguments }),
]);
/** Said by some APIs beside a message, with nothing to train on. */
const beside = { name: z.unknown().optional(), refusal: z.unknown().optional(), annotations: z.unknown().optional() };
const Turn = z.discriminatedUnion("role", [
  z.strictObject({ role: z.enum(["system", "developer"]), content: Text, ...beside }),
  z.strictObject({ role: z.literal("user"), content: Text, ...beside }),
  z.strictObject({
    role: z.literal("assistant"),
    content: Text.optional(),
    reasoning: z.string().optional(),
    reasoning_content: z.string().optional(),
    tool_calls: z.array(Call).optional(),
    toolCalls: z.array(Call).optional(),
    weight: z.union([z.literal(0), z.literal(1)]).optional(),
    ...beside,
  }),
  z.strictObject({
    role: z.literal("tool"),
    content: Text,
    tool_call_id: z.string().optional(),
    toolCallId: z.string().optional(),
    isError: z.boolean().optional(),
    ...beside,
  }),
]);
type Turn = z.output<typeof Turn>;
const Turns = z.array(Turn);

const Tool = z.object({
  name: z.string(),
  description: z.string().default(""),
  parameters: z.record(z.string(), z.json()).default({}),
});
const Tools: z.ZodType<ToolSpec[], unknown> = z.array(
  z.union([z.object({ function: Tool }).transform(({ function: tool }) => tool), Tool]),
);

function check<Value>(schema: z.ZodType<Value, unknown>, value: unknown, name: string): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`${[name, ...(issue?.path ?? [])].join(".")}: ${issue?.message ?? "not understood"}`);
}

/** A result without the id of its call answers the first call that has none yet. */
function toMessages(turns: readonly Turn[]): Message[] {
  let open: string[] = [];
  return turns.map((turn, index): Message => {
    switch (turn.role) {
      case "system":
      case "developer":
        return { role: "system", content: turn.content };
      case "user":
        return { role: "user", content: turn.content };
      case "assistant": {
        const reasoning = turn.reasoning ?? turn.reasoning_content;
        const calls = (turn.tool_calls ?? turn.toolCalls ?? []).map((call, number): ToolCall => ({
          ...call,
          id: call.id ?? `call${index}x${number}`,
        }));
        open = calls.map(({ id }) => id);
        return {
          role: "assistant",
          content: turn.content ?? "",
          ...(reasoning === undefined ? {} : { reasoning }),
          ...(calls.length === 0 ? {} : { toolCalls: calls }),
        };
      }
      case "tool": {
        const toolCallId = turn.tool_call_id ?? turn.toolCallId ?? open[0];
        if (toolCallId === undefined) throw new Error(`messages.${index}: a result of a tool that nobody called`);
        open = open.filter((id) => id !== toolCallId);
        return {
          role: "tool",
          toolCallId,
          content: turn.content,
          ...(turn.isError === undefined ? {} : { isError: turn.isError }),
        };
      }
    }
  });
}
