// One tool call of a model: arguments parsed and validated, the result as a tool message. A mistake of the model, and an error of the
// tool, is an answer to the model; only a dead sandbox, a fatal error and cancellation leave the rollout.
import { BoundaryError, type Content, HoneError, type ToolCall, type ToolMessage, type ToolSpec } from "@hone/core";
import * as z from "zod";
import type { AnyTool } from "./tool.ts";
import type { Toolset } from "./toolset.ts";

/** Thrown by a tool, it fails the rollout at the boundary "tool" instead of telling the model. */
export function fatal(
  message: string,
  options: { readonly isRetryable?: boolean; readonly cause?: unknown } = {},
): HoneError {
  return new HoneError(message, { ...options, code: "fatal-tool" });
}

export interface ToolRun {
  /** What the model was told there is. */
  readonly offered: readonly ToolSpec[];
  readonly tools: Readonly<Record<string, AnyTool>>;
  readonly toolset: Toolset | undefined;
  readonly call: ToolCall;
  readonly scope: unknown;
  readonly signal: AbortSignal;
}

export async function callTool({ offered, tools, toolset, call, scope, signal }: ToolRun): Promise<ToolMessage> {
  if (!offered.some(({ name }) => name === call.name)) {
    const names = offered.map(({ name }) => name).join(", ");
    return refuse(call, `There is no tool ${call.name}. ${names === "" ? "There are none." : `Tools: ${names}.`}`);
  }
  const input = readArguments(call.arguments);
  if (typeof input === "string") return refuse(call, input);
  try {
    const own = Object.hasOwn(tools, call.name) ? tools[call.name] : undefined;
    if (own === undefined) {
      const result = await toolset?.call(call, { signal });
      return { role: "tool", toolCallId: call.id, content: "", ...result };
    }
    const parsed = own.parameters.safeParse(input.value);
    if (!parsed.success) return refuse(call, `Invalid arguments for ${call.name}:\n${z.prettifyError(parsed.error)}`);
    const result: unknown = await own.execute(parsed.data, scope as never);
    return { role: "tool", toolCallId: call.id, content: asContent(result) };
  } catch (error) {
    signal.throwIfAborted();
    if (HoneError.is(error) && "boundary" in error) throw error;
    if (HoneError.is(error) && error.code === "fatal-tool") throw new BoundaryError("tool", error);
    if (HoneError.is(error) && error.code.startsWith("sandbox")) throw new BoundaryError("sandbox", error);
    return refuse(call, `Error: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readArguments(text: string): string | { readonly value: object } {
  let value: unknown;
  try {
    value = text.trim() === "" ? {} : JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `The arguments are not valid JSON (${reason}). Send the call again with valid JSON.`;
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { value };
  return "The arguments must be a JSON object. Send the call again with an object.";
}

function asContent(result: unknown): Content {
  if (typeof result === "string") return result;
  if (Array.isArray(result) && result.length > 0 && result.every(isPart)) return result;
  return JSON.stringify(result) ?? "";
}

function isPart(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const part = value as { readonly type?: unknown; readonly text?: unknown; readonly url?: unknown };
  return (
    (part.type === "text" && typeof part.text === "string") || (part.type === "image" && typeof part.url === "string")
  );
}

function refuse(call: ToolCall, content: string): ToolMessage {
  return { role: "tool", toolCallId: call.id, content, isError: true };
}
