// What is said. Provider-neutral; the wire dialects live in @hone/model, the token formats in @hone/tokens.
import * as z from "zod";

export type ContentPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly url: string };
export type Content = string | readonly ContentPart[];

export interface SystemMessage {
  readonly role: "system";
  readonly content: string;
}
export interface UserMessage {
  readonly role: "user";
  readonly content: Content;
}
export interface AssistantMessage {
  readonly role: "assistant";
  /** The answer, without the reasoning block and without tool calls. */
  readonly content: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ToolCall[];
}
export interface ToolMessage {
  readonly role: "tool";
  readonly toolCallId: string;
  readonly content: Content;
  readonly isError?: boolean;
}
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON exactly as the model wrote it; it may be malformed. */
  readonly arguments: string;
}

const ContentPart: z.ZodType<ContentPart> = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  z.strictObject({ type: z.literal("image"), url: z.string() }),
]);
const Content: z.ZodType<Content> = z.union([z.string(), z.array(ContentPart)]);
const ToolCall: z.ZodType<ToolCall> = z.strictObject({ id: z.string(), name: z.string(), arguments: z.string() });

export const Message: z.ZodType<Message> = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("system"), content: z.string() }),
  z.strictObject({ role: z.literal("user"), content: Content }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.string(),
    reasoning: z.string().exactOptional(),
    toolCalls: z.array(ToolCall).exactOptional(),
  }),
  z.strictObject({
    role: z.literal("tool"),
    toolCallId: z.string(),
    content: Content,
    isError: z.boolean().exactOptional(),
  }),
]);

/** The text of a message; images are left out. */
export function textOf(content: Content): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}
