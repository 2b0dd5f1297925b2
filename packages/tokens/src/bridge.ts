// The text between a reply and the next prompt: what the template writes after the assistant's words, the new messages, the opened turn.
// It is found by rendering a stand-in reply between the head of the conversation and the new messages, and looking after the stand-in.
// What the template does to earlier turns (Qwen3 drops their reasoning) lies before the stand-in and never matters: extending only appends.
import { type AssistantMessage, HoneError, type Message } from "@hone/core";
import type { GuardedTemplate, Written } from "./guarded-template.ts";
import type { RenderOptions } from "./template-variables.ts";

/** Text after a reply. Written is `before` (after a cut reply only), the end of turn, then the rest. */
export interface Bridge {
  /** Template text between the reply's last word and the end of its turn; mostly empty. */
  readonly before: string;
  /** From the end of turn on; `endOfTurn` is the id it starts with, undefined in templates that do not end turns. */
  readonly from: Written;
  readonly endOfTurn: number | undefined;
}

export interface BridgeRequest {
  readonly template: GuardedTemplate;
  readonly stopTokens: ReadonlySet<number>;
  readonly messages: readonly Message[];
  /** How many messages were seen; the last of them is the reply. */
  readonly seen: number;
  readonly options: RenderOptions;
}

/** A bridge, or the reason why the template has none here. */
export function findBridge(request: BridgeRequest): Bridge | { readonly reason: string } {
  const { messages, seen } = request;
  const reply = messages[seen - 1];
  if (reply?.role !== "assistant") return { reason: "the last message seen is not the assistant's" };
  const firstReply = messages.findIndex(({ role }) => role === "assistant");
  const head = messages.slice(0, firstReply);
  const fresh = messages.slice(seen);
  const word = freeWord(JSON.stringify([head, reply, fresh, request.options.tools, request.options.variables]));
  let reason = "";
  for (const standIn of standIns(reply, word)) {
    const found = tryBridge(request, { head, standIn, fresh, word });
    if ("from" in found) return found;
    reason ||= found.reason;
  }
  return { reason };
}

interface Attempt {
  readonly head: readonly Message[];
  readonly standIn: AssistantMessage;
  readonly fresh: readonly Message[];
  readonly word: string;
}

function tryBridge(request: BridgeRequest, attempt: Attempt): Bridge | { readonly reason: string } {
  const { template, options, stopTokens } = request;
  const { head, standIn, fresh, word } = attempt;
  try {
    const whole = template.write([...head, standIn, ...fresh], options);
    const alone = template.write([...head, standIn], { ...options, addGenerationPrompt: false }, whole.guard);
    const after = afterLast(whole.text, word);
    const closing = afterLast(alone.text, word);
    if (after === undefined || closing === undefined) return { reason: "the template leaves out the reply" };
    const end = template.controls({ ...alone, text: closing }).find(({ id }) => stopTokens.has(id));
    const ending = end === undefined ? closing : closing.slice(0, end.end);
    if (!after.startsWith(ending)) return { reason: "the template ends a reply differently when messages follow" };
    // After a call, what stands between the stand-in and the end of turn closes the stand-in's own call.
    const hasCalls = standIn.toolCalls !== undefined;
    if (hasCalls && end === undefined) return { reason: "the template does not end the turn after a tool call" };
    return {
      before: hasCalls ? "" : closing.slice(0, end?.start ?? 0),
      from: { text: after.slice(end?.start ?? 0), guard: whole.guard },
      endOfTurn: end?.id,
    };
  } catch (error) {
    if (HoneError.is(error) && error.code === "chat-template") return { reason: error.message };
    throw error;
  }
}

/** With the reply's own calls first, because some templates name the called tool when they render its result. */
function standIns(reply: AssistantMessage, word: string): AssistantMessage[] {
  const plain: AssistantMessage = { role: "assistant", content: word };
  if (reply.toolCalls === undefined || reply.toolCalls.length === 0) return [plain];
  const toolCalls = reply.toolCalls.map((call) => ({ ...call, arguments: JSON.stringify({ x: word }) }));
  return [{ role: "assistant", content: "", toolCalls }, plain];
}

function freeWord(text: string): string {
  let word = "honestandin";
  for (let number = 0; text.includes(word); number++) word = `honestandin${number}`;
  return word;
}

function afterLast(text: string, word: string): string | undefined {
  const at = text.lastIndexOf(word);
  return at < 0 ? undefined : text.slice(at + word.length);
}
