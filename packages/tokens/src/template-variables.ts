// Messages and tools in the shape that Hugging Face chat templates expect: tool_calls with a function, reasoning_content, tool_call_id.
// Arguments become an object when they parse as one, else they stay the text the model wrote.
import {
  type AssistantMessage,
  type Content,
  HoneError,
  type Json,
  type JsonObject,
  type Message,
  textOf,
  type ToolCall,
  type ToolSpec,
} from "@hone/core";

export interface RenderOptions {
  readonly tools?: readonly ToolSpec[];
  /** Open the assistant's turn at the end. Unless said, it is opened when the last message is not the assistant's. */
  readonly addGenerationPrompt?: boolean;
  /** Further variables of the template, as it names them: enable_thinking, documents, date_string. */
  readonly variables?: JsonObject;
  /** The date for templates that print one. Unless given it is 26 July 2024, so that a prompt is the same tomorrow. */
  readonly now?: Date;
}

/** What the template sees, but for the texts of special tokens. */
export function templateVariables(messages: readonly Message[], options: RenderOptions = {}): JsonObject {
  const names = new Map<string, string>();
  return {
    messages: messages.map((message) => {
      if (message.role === "assistant") for (const call of message.toolCalls ?? []) names.set(call.id, call.name);
      return convert(message, names);
    }),
    tools: options.tools === undefined || options.tools.length === 0 ? null : options.tools.map(toolOf),
    documents: null,
    add_generation_prompt: options.addGenerationPrompt ?? messages.at(-1)?.role !== "assistant",
    ...options.variables,
  };
}

export function hasImages(messages: readonly Message[]): boolean {
  return messages.some(({ content }) => typeof content !== "string" && content.some((part) => part.type === "image"));
}

function convert(message: Message, names: ReadonlyMap<string, string>): JsonObject {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user":
      return { role: "user", content: contentOf(message.content) };
    case "assistant":
      return assistantOf(message);
    case "tool": {
      const name = names.get(message.toolCallId);
      return {
        role: "tool",
        tool_call_id: message.toolCallId,
        ...(name === undefined ? {} : { name }),
        content: contentOf(message.content),
      };
    }
  }
}

/** `tool_calls` only where there are some: templates ask whether the key exists. */
function assistantOf({ content, reasoning, toolCalls }: AssistantMessage): JsonObject {
  return {
    role: "assistant",
    content,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(toolCalls === undefined || toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(callOf) }),
  };
}

function callOf(call: ToolCall): JsonObject {
  return { id: call.id, type: "function", function: { name: call.name, arguments: argumentsOf(call.arguments) } };
}

function argumentsOf(text: string): Json {
  try {
    const value = JSON.parse(text) as Json;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : text;
  } catch {
    return text;
  }
}

/** Text alone is a string, which every template understands; with images it is a list of parts. */
function contentOf(content: Content): Json {
  if (typeof content === "string") return content;
  if (content.every((part) => part.type === "text")) return textOf(content);
  return content.map((part) => (part.type === "text" ? { type: "text", text: part.text } : { type: "image" }));
}

function toolOf({ name, description, parameters }: ToolSpec): JsonObject {
  return { type: "function", function: { name, description, parameters } };
}

export function noPlaceForImages(): HoneError {
  return new HoneError("this chat template has no place for images", {
    code: "chat-template",
    hint: "Use a vision model's template, or leave images out of the messages.",
  });
}
