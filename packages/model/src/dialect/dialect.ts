// What a dialect is: a pure translation between a ModelRequest and a server's JSON. No clock, no socket, no key.
// A stream rebuilds the body that the server would have sent without streaming, so both ways end in `fromResponse`.
import {
  type Completion,
  type Finish,
  type Json,
  type JsonObject,
  ModelError,
  type ModelRequest,
  type Sampling,
} from "@hone/core";
import type { AssistantMessage, ToolCall } from "@hone/core";
import type { DialectName, Endpoint } from "../endpoint.ts";

export interface Dialect {
  toRequest(request: ModelRequest, endpoint: Endpoint, recall?: Recall): WireRequest;
  fromResponse(body: unknown): WireReply;
  createStream(): WireStream;
  headers(key: string | undefined): Readonly<Record<string, string>>;
}

export interface WireRequest {
  /** Appended to the path of the base URL. */
  readonly path: string;
  readonly body: JsonObject;
}

export interface WireReply {
  readonly completion: Completion;
  /** What the server wants back unchanged with the next turn: signed thinking, encrypted reasoning. Opaque to everyone else. */
  readonly carry?: Json;
}

/** The `carry` of an earlier reply of this server, found by its message. */
export type Recall = (message: AssistantMessage) => Json | undefined;

export interface WireStream {
  /** One server-sent event. True when the reply is complete and nothing after it matters. */
  push(event: ServerEvent): boolean;
  /** Throws when the stream ended before the reply did. */
  finish(): WireReply;
}
export interface ServerEvent {
  readonly event?: string | undefined;
  readonly data: string;
}

/** A setting that this dialect has no field for is an error: ignoring it would change what is measured. */
export function refuse(dialect: DialectName, sampling: Sampling, fields: readonly (keyof Sampling)[]): void {
  const unsupported = fields.filter((field) => sampling[field] !== undefined);
  if (unsupported.length === 0) return;
  throw new ModelError(`the ${dialect} dialect has no field for ${unsupported.join(", ")}`, {
    code: "bad-request",
    hint: "Leave it out, put the server's own field into sampling.extra, or use another dialect.",
  });
}

export function invalid(message: string): ModelError {
  return new ModelError(message, { code: "invalid-response" });
}

/** A call to a tool in the reply ends the turn, whatever word the server used for it. */
export function finishFrom(reason: Finish, toolCalls: readonly ToolCall[]): Finish {
  return reason === "stop" && toolCalls.length > 0 ? "tool-calls" : reason;
}

/** Every call gets an id that is its own: servers leave them out, and some repeat them. */
export function toolCallsFrom(calls: readonly Partial<ToolCall>[], replyId: string | undefined): readonly ToolCall[] {
  const used = new Set<string>();
  return calls.map((call, index) => {
    const own = call.id === undefined || call.id === "" || used.has(call.id) ? madeUpId(replyId, index) : call.id;
    used.add(own);
    return { id: own, name: call.name ?? "", arguments: call.arguments ?? "" };
  });
}

function madeUpId(replyId: string | undefined, index: number): string {
  return `call_${(replyId ?? "").replaceAll(/[^a-zA-Z0-9_-]/g, "").slice(-40)}_${index}`;
}

export function assistant(content: string, reasoning: string, toolCalls: readonly ToolCall[]): AssistantMessage {
  return {
    role: "assistant",
    content,
    ...(reasoning === "" ? {} : { reasoning }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
}

/** "data:image/png;base64,..." taken apart; undefined for any other URL. */
export function dataUrl(url: string): { readonly mediaType: string; readonly data: string } | undefined {
  if (!url.startsWith("data:")) return undefined;
  const comma = url.indexOf(",");
  const header = url.slice(5, comma);
  if (comma < 0 || !header.endsWith(";base64")) {
    throw new ModelError("an image is a data: URL without base64", {
      code: "bad-request",
      hint: "Write images as data:image/png;base64,... or as an https URL.",
    });
  }
  return { mediaType: header.slice(0, -";base64".length), data: url.slice(comma + 1) };
}
